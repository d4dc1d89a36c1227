package org.shardmend.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever is wrong with a rule file is refused, with its line, column and place. */
class RuleReaderTest {
  private static final String GOOD =
      """
      {
        "name": "swap-names",
        "about": "For a test.",
        "layouts": ["sharded_state", "huggingface"],
        "default": true,
        "rules": [
          {
            "from": "(?<x>.*)\\\\.old\\\\.(?<p>.+)",
            "to": "${x}.new.${p}",
            "examples": [
              ["a.old.weight", "a.new.weight"],
              ["b.old.bias", "b.new.bias"]
            ]
          }
        ]
      }
      """;

  private static final String FROM = "\"(?<x>.*)\\\\.old\\\\.(?<p>.+)\"";

  @Test
  void aCorrectFileIsReadWhole() throws RuleException {
    RuleFamily family = Families.read(GOOD);

    assertThat(family.name()).isEqualTo("swap-names");
    assertThat(family.about()).isEqualTo("For a test.");
    assertThat(family.layouts()).containsExactly("sharded_state", "huggingface");
    assertThat(family.byDefault()).isTrue();
    assertThat(family.rules()).hasSize(1);
    Rule rule = family.rules().get(0);
    assertThat(rule.from()).isEqualTo("(?<x>.*)\\.old\\.(?<p>.+)");
    assertThat(rule.to()).isEqualTo("${x}.new.${p}");
    assertThat(rule.examples())
        .containsExactly(
            new RuleExample("a.old.weight", "a.new.weight"),
            new RuleExample("b.old.bias", "b.new.bias"));
    assertThat(rule.apply("model.old.scale")).contains("model.new.scale");
  }

  @Test
  void theMessageBeginsWithTheOriginAndSaysWhereWhatAndWhatToDo() {
    RuleException refusal = refusal(GOOD.replace("\"default\": true", "\"default\": \"yes\""));

    assertThat(refusal)
        .hasMessage("my-rules.json:5:14: default: This is a string. It must be true or false.");
    assertThat(refusal.origin()).isEqualTo("my-rules.json");
  }

  @Test
  void aSyntaxErrorIsRefusedWhereItStands() {
    assertRefused(GOOD.replace("\"about\": \"", "\"about\" \""), 3, 11, "", "not JSON");
  }

  @Test
  void aFileThatEndsEarlyIsRefused() {
    RuleException inAList = refusal(GOOD.substring(0, GOOD.indexOf("\"huggingface\"")));
    RuleException inAnObject = refusal(GOOD.substring(0, GOOD.indexOf("\"default\"")));
    RuleException inAString = refusal(GOOD.substring(0, GOOD.indexOf("test.")));

    assertThat(inAList).hasMessageNotContaining("Source").hasMessageContaining(":4:");
    assertThat(inAnObject).hasMessageNotContaining("Source").hasMessageContaining(":5:");
    assertThat(inAString)
        .hasMessageContaining(":3:")
        .hasMessageContaining("about: The file ends in the middle")
        .hasMessageNotContaining("Source");
  }

  @Test
  void anEmptyFileIsRefused() {
    assertRefused("", 1, 1, "", "The file is empty");
  }

  @Test
  void whatFollowsTheDocumentIsRefused() {
    assertRefused(GOOD + "{}", 17, 1, "", "Something follows");
  }

  @Test
  void aFileThatIsNotUtf8IsRefusedAtTheByte() {
    byte[] json = GOOD.replace("For a test", "F\u00fcr").getBytes(StandardCharsets.ISO_8859_1);
    RuleException refusal =
        catchThrowableOfType(RuleException.class, () -> RuleReader.read(json, "my-rules.json"));

    assertThat(refusal).hasMessageStartingWith("my-rules.json:3:14: A byte here is not UTF-8.");
  }

  @Test
  void aUtf16FileIsRefused() {
    byte[] json = GOOD.getBytes(StandardCharsets.UTF_16);
    RuleException refusal =
        catchThrowableOfType(RuleException.class, () -> RuleReader.read(json, "my-rules.json"));

    assertThat(refusal).hasMessageContaining("not UTF-8");
  }

  @Test
  void anUnknownKeyIsRefusedWhereItStands() {
    assertRefused(GOOD.replace("\"default\"", "\"defualt\""), 5, 3, "defualt", "no such key");
    assertRefused(
        GOOD.replace("\"to\":", "\"comment\": 1, \"to\":"),
        9,
        7,
        "rules[0].comment",
        "The keys here are [from, to, examples]");
  }

  @Test
  void aMissingKeyIsRefusedAtItsObject() {
    assertRefused(GOOD.replace("  \"default\": true,\n", ""), 1, 1, "", "'default' is missing");
    assertRefused(
        GOOD.replace("      \"to\": \"${x}.new.${p}\",\n", ""),
        7,
        5,
        "rules[0]",
        "'to' is missing");
  }

  @Test
  void aKeyThatStandsTwiceIsRefusedAtTheSecond() {
    assertRefused(
        GOOD.replace("\"default\": true,", "\"default\": true, \"name\": \"b\","),
        5,
        20,
        "name",
        "twice");
  }

  @Test
  void aValueOfAnotherKindIsRefused() {
    assertRefused("[]", 1, 1, "", "This is a list. It must be an object");
    assertRefused(GOOD.replace("\"swap-names\"", "7"), 2, 11, "name", "a number");
    assertRefused(GOOD.replace("\"For a test.\"", "null"), 3, 12, "about", "null");
    assertRefused(
        GOOD.replace("[\"sharded_state\", \"huggingface\"]", "\"sharded_state\""),
        4,
        14,
        "layouts",
        "It must be a list");
    assertRefused(
        GOOD.replace("\"huggingface\"", "{}"), 4, 32, "layouts[1]", "It must be a string");
    assertRefused(GOOD.replace("\"${x}.new.${p}\"", "true"), 9, 13, "rules[0].to", "a string");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "Swap", "swap_names", "-swap", "swap-", "swap--names", "swap names"})
  void aFamilyNameIsWordsJoinedByHyphens(String name) {
    assertRefused(GOOD.replace("swap-names", name), 2, 11, "name", "no name for a family");
  }

  @Test
  void aBlankDescriptionIsRefused() {
    assertRefused(GOOD.replace("For a test.", " "), 3, 12, "about", "no description");
  }

  @Test
  void layoutsAreKnownDistinctAndAtLeastOne() {
    assertRefused(
        GOOD.replace("\"huggingface\"", "\"gguf\""), 4, 32, "layouts[1]", "'gguf' is no layout");
    assertRefused(
        GOOD.replace("\"huggingface\"", "\"sharded_state\""), 4, 32, "layouts[1]", "twice");
    assertRefused(
        GOOD.replace("\"sharded_state\", \"huggingface\"", ""), 4, 14, "layouts", "no layout");
  }

  @Test
  void aFamilyWithoutRulesIsRefused() {
    String none = GOOD.substring(0, GOOD.indexOf("\"rules\"")) + "\"rules\": []}";
    assertRefused(none, 6, 12, "rules", "There is no rule");
  }

  @Test
  void aBadRegularExpressionIsRefusedWithItsPlaceInThePattern() {
    assertRefused(
        GOOD.replace(FROM, "\"(?<x>.*\""),
        8,
        15,
        "rules[0].from",
        "no regular expression: Unclosed group");
  }

  @Test
  void aGroupNameWithAnUnderscoreIsRefused() {
    assertRefused(
        GOOD.replace("(?<x>", "(?<x_1>"), 8, 15, "rules[0].from", "a letter, then letters");
    assertRefused(GOOD.replace("${x}", "${x_1}"), 9, 13, "rules[0].to", "no group reference");
  }

  @Test
  void aReferenceToAGroupThatThePatternLacksIsRefused() {
    assertRefused(
        GOOD.replace("${p}", "${param}"), 9, 13, "rules[0].to", "${param} names no group");
  }

  @ParameterizedTest
  @ValueSource(strings = {"$1.new", "${x.new", "$", "${}.new", "${x}$.new"})
  void groupsAreReferredToByNameOnly(String to) {
    assertRefused(GOOD.replace("${x}.new.${p}", to), 9, 13, "rules[0].to", "(?<group>...)|letter");
  }

  @Test
  void aBackslashInTheResultIsRefused() {
    assertRefused(
        GOOD.replace("${x}.new.${p}", "${x}\\\\.new.${p}"),
        9,
        13,
        "rules[0].to",
        "plain text and not a pattern");
  }

  @Test
  void aRuleWithoutExamplesIsRefused() {
    String none = GOOD.substring(0, GOOD.indexOf("[\n        [")) + "[]\n    }\n  ]\n}\n";
    assertRefused(none, 10, 19, "rules[0].examples", "There is no example");
  }

  @Test
  void anExampleIsTwoNames() {
    assertRefused(
        GOOD.replace("[\"b.old.bias\", \"b.new.bias\"]", "[\"b.old.bias\"]"),
        12,
        9,
        "rules[0].examples[1]",
        "This list has 1 entries");
  }

  @Test
  void anExampleThatThePatternDoesNotMatchIsRefused() {
    assertRefused(
        GOOD.replace("b.old.bias", "b.odd.bias"),
        12,
        10,
        "rules[0].examples[1][0]",
        "does not match this name, 'b.odd.bias'");
  }

  @Test
  void anExampleThatComesOutOtherwiseIsRefused() {
    assertRefused(
        GOOD.replace("b.new.bias", "b.new.weight"),
        12,
        24,
        "rules[0].examples[1][1]",
        "makes 'b.new.bias' of 'b.old.bias', but the example expects 'b.new.weight'");
  }

  @Test
  void anExampleThatChangesNothingIsRefused() {
    assertRefused(
        GOOD.replace("b.new.bias", "b.old.bias"),
        12,
        9,
        "rules[0].examples[1]",
        "Both names are the same");
  }

  @Test
  void aPatternMustMatchTheWholeExample() {
    assertRefused(
        GOOD.replace(FROM, "\"(?<x>.*)\\\\.old\\\\.(?<p>w)\""),
        11,
        10,
        "rules[0].examples[0][0]",
        "must match the whole name");
  }

  @Test
  void twoRulesWithOnePatternAreRefused() {
    String rule = GOOD.substring(GOOD.indexOf("    {\n"), GOOD.lastIndexOf("    }\n")) + "    }";
    String twice = GOOD.replace(rule, rule + ",\n" + rule);

    assertRefused(twice, 16, 15, "rules[1].from", "the pattern of rules[0]");
  }

  @Test
  void anExampleThatTwoRulesMatchIsRefused() {
    String second =
        """
        ,{"from": "(?<x>.*)\\\\.old\\\\.bias", "to": "${x}.other", "examples": [["c.old.bias", "c.other"]]}
          ]
        """;
    assertRefused(
        GOOD.replace("\n  ]\n", second),
        12,
        9,
        "rules[0].examples[1]",
        "swap-names#1, swap-names#2");
  }

  @Test
  void anExampleWhoseResultWouldChangeAgainIsRefused() {
    assertRefused(
        GOOD.replace("${x}.new.${p}", "${x}.old.${p}.x")
            .replace("a.new.weight", "a.old.weight.x")
            .replace("b.new.bias", "b.old.bias.x"),
        11,
        9,
        "rules[0].examples[0]",
        "changed again by swap-names#1");
  }

  @Test
  void controlCharactersOfTheFileDoNotReachTheMessage() {
    RuleException refusal = refusal(GOOD.replace("swap-names", "a\\u001b[31m\\n\\u202e"));

    assertThat(refusal).hasMessageContaining("'a\\u001B[31m\\u000A\\u202E'");
  }

  @Test
  void aDeeplyNestedFileIsRefused() {
    assertThat(refusal("[".repeat(1_000_000))).hasMessageContaining("nesting depth");
  }

  private static RuleException refusal(String json) {
    return catchThrowableOfType(RuleException.class, () -> Families.read(json));
  }

  private static void assertRefused(
      String json, int line, int column, String place, String message) {
    RuleException refusal = refusal(json);
    assertThat(refusal).as("refused").isNotNull();
    assertThat(refusal.getMessage())
        .containsAnyOf(message.split("\\|"))
        .startsWith("my-rules.json:" + refusal.line() + ":" + refusal.column() + ": ");
    assertThat(refusal.place()).isEqualTo(place);
    assertThat(refusal.line() + ":" + refusal.column()).isEqualTo(line + ":" + column);
  }
}
