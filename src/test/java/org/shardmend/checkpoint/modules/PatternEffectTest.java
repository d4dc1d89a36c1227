package org.shardmend.checkpoint.modules;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A pattern in a config, before and after modules are called otherwise. */
class PatternEffectTest {
  private static final List<String> MODULES =
      List.of(
          "model.language_model.layers.0.mlp.up_proj",
          "model.language_model.layers.1.mlp.up_proj",
          "model.language_model.layers.1.self_attn.o_proj",
          "model.language_model.embed_tokens",
          "model.visual.blocks.0.mlp.up_proj",
          "lm_head");

  private static List<ModuleRenaming> renamed(UnaryOperator<String> target) {
    return MODULES.stream().map(name -> new ModuleRenaming(name, target.apply(name))).toList();
  }

  private static List<ModuleRenaming> toText() {
    return renamed(name -> name.replace("model.language_model.", "model."));
  }

  private static List<ModuleRenaming> toEngine() {
    return renamed(
        name ->
            name.replace("model.language_model.", "language_model.model.")
                .replace("lm_head", "language_model.lm_head"));
  }

  private static ModuleEntry entry(ModuleEntry.Syntax syntax, String text) {
    return new ModuleEntry(text, syntax);
  }

  private static Optional<String> replaced(ModuleEntry entry, List<ModuleRenaming> renamings) {
    return PatternEffect.of(entry, renamings).stream()
        .flatMap(effect -> effect.replacements().stream())
        .filter(other -> PatternEffect.isReplacedBy(entry, other, renamings))
        .map(ModuleEntry::text)
        .findFirst();
  }

  @ParameterizedTest
  @CsvSource({
    "EXPRESSION, 're:model\\.language_model\\.layers\\.1\\.mlp\\..*',"
        + " 're:model\\.layers\\.1\\.mlp\\..*'",
    "EXPRESSION, 're:model.language_model.layers.0.*', 're:model.layers.0.*'",
    "EXPRESSION, 're:^model\\.language_model\\.(layers|embed).*', 're:^model\\.(layers|embed).*'",
    "DYNAMIC, '-:model\\.language_model\\.layers\\.0\\..*', '-:model\\.layers\\.0\\..*'",
    "DYNAMIC, '+:model\\.language_model\\..*o_proj', '+:model\\.(?!visual).*o_proj'",
    "DYNAMIC, 'model\\.language_model\\.layers\\.0\\..*', 'model\\.layers\\.0\\..*'",
    "GLOB, model.language_model.layers.1*, model.layers.1*",
    "PART, language_model.layers.1., .layers.1."
  })
  void aPatternThatSpellsOutWhatChangesIsWrittenAnew(
      ModuleEntry.Syntax syntax, String text, String replacement) {
    Optional<String> found = replaced(entry(syntax, text), toText());

    if (replacement.contains("(?!")) {
      // model\..*o_proj would match the image tower's modules, too, if it had an o_proj.
      assertThat(found).contains("+:model\\..*o_proj");
    } else {
      assertThat(found).contains(replacement);
    }
  }

  @Test
  void anInsertionIsWrittenWhereItsNeighbourStands() {
    assertThat(
            replaced(
                entry(ModuleEntry.Syntax.EXPRESSION, "re:lm_head"),
                renamed(name -> name.replace("lm_head", "language_model.lm_head"))))
        .contains("re:language_model\\.lm_head");
    assertThat(
            replaced(
                entry(ModuleEntry.Syntax.EXPRESSION, "re:model\\.language_model\\.layers\\.0.*"),
                toEngine()))
        .contains("re:language_model\\.model\\.layers\\.0.*");
  }

  @ParameterizedTest
  @CsvSource({
    "EXPRESSION, re:.*mlp.*",
    "EXPRESSION, re:.*lm_head",
    "EXPRESSION, re:nothing",
    "GLOB, *up_proj",
    "PART, lm_head",
    "PART, visual"
  })
  void aPatternThatStillMatchesTheSameIsLeftInPeace(ModuleEntry.Syntax syntax, String text) {
    assertThat(PatternEffect.of(entry(syntax, text), toText())).isEmpty();
  }

  @Test
  void modulesAreNamedThatAreLostAndGained() {
    PatternEffect lost =
        PatternEffect.of(
                entry(ModuleEntry.Syntax.EXPRESSION, "re:model\\.language_model\\.layers\\.1.*"),
                toText())
            .orElseThrow();
    PatternEffect gained =
        PatternEffect.of(entry(ModuleEntry.Syntax.EXPRESSION, "re:model\\.layers.*"), toText())
            .orElseThrow();

    assertThat(lost.lost())
        .containsExactly("model.layers.1.mlp.up_proj", "model.layers.1.self_attn.o_proj");
    assertThat(ModuleNames.finding("config.json", lost, Optional.empty()).message())
        .contains("no longer matches", "model.layers.1.mlp.up_proj", "No like pattern");
    assertThat(gained.gained()).hasSize(3);
    assertThat(ModuleNames.finding("config.json", gained, Optional.empty()).message())
        .contains("matches modules that it did not match before: model.layers.0.mlp.up_proj");
  }

  @Test
  void aReplacementThatWouldMatchMoreIsNone() {
    ModuleEntry entry =
        entry(ModuleEntry.Syntax.EXPRESSION, "re:model\\.language_model\\..*up_proj");

    // Without language_model it would match the image tower's, which the engine must not ignore.
    assertThat(replaced(entry, toText())).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"re:(, no regular expression", "re:(.*.*.*.*.*.*)=, steps"})
  void whatCannotBeTriedIsSaid(String text, String why) {
    PatternEffect effect =
        PatternEffect.of(
                entry(ModuleEntry.Syntax.EXPRESSION, text),
                Stream.concat(
                        toText().stream(),
                        Stream.of(new ModuleRenaming("a".repeat(300), "b".repeat(300))))
                    .toList())
            .orElseThrow();

    assertThat(effect.trouble()).contains(why);
    assertThat(ModuleNames.finding("config.json", effect, Optional.empty()).message())
        .contains("could not be tried", "See for yourself");
  }

  @Test
  void pythonsNamedGroupsAreUnderstood() {
    assertThat(
            PatternEffect.of(
                    entry(ModuleEntry.Syntax.EXPRESSION, "re:(?P<n>model)\\.language_model.*\\Z"),
                    toText())
                .orElseThrow()
                .trouble())
        .isEmpty();
  }
}
