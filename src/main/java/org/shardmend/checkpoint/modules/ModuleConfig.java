package org.shardmend.checkpoint.modules;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import org.shardmend.checkpoint.Sha256;
import org.shardmend.checkpoint.json.JsonCursor;
import org.shardmend.checkpoint.json.JsonFormatException;
import org.shardmend.checkpoint.json.JsonRewrite;

/**
 * A file that says how single modules are quantized: config.json, in its quantization sections, and
 * the files of ModelOpt, GPTQModel and AWQ as a whole. Module names follow tensors' names.
 */
public final class ModuleConfig {

  /** Files that speak of nothing but quantization. */
  public static final List<String> OTHER_FILES =
      List.of("hf_quant_config.json", "quantize_config.json", "quant_config.json");

  private static final List<String> SECTIONS = List.of("quantization_config", "compression_config");
  private static final String TEXT_CONFIG = "text_config";
  private static final String DYNAMIC = "dynamic";

  /** A pattern that is nothing but a name, in which a dot is meant as a dot. */
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_.]+");

  private static final Set<String> LISTS_OF_PARTS =
      Set.of("modules_to_not_convert", "llm_int8_skip_modules");

  private final String name;
  private final byte[] json;
  private final JsonNode root;

  private ModuleConfig(String name, byte[] json, JsonNode root) {
    this.name = name;
    this.json = json;
    this.root = root;
  }

  /** The file of that name. */
  public static ModuleConfig read(String name, byte[] json) throws JsonFormatException {
    return JsonCursor.parse(
        json,
        cursor -> {
          if (!cursor.isObject()) {
            throw cursor.failure("expected an object");
          }
          return new ModuleConfig(name, json, cursor.tree());
        });
  }

  /** The file's name in the checkpoint's directory. */
  public String name() {
    return name;
  }

  /** SHA-256 of the document as it was read, in hexadecimal. */
  public String digest() {
    return Sha256.hex(json, json.length);
  }

  /** Everything in it that may speak of modules, in its order, each once. */
  List<ModuleEntry> entries() {
    Set<ModuleEntry> entries = new LinkedHashSet<>();
    if (isAllQuantization()) {
      collect(root, Place.START, entries);
    } else {
      for (JsonNode config : List.of(root, root.path(TEXT_CONFIG))) {
        SECTIONS.forEach(section -> collect(config.path(section), Place.START, entries));
      }
    }
    return List.copyOf(entries);
  }

  /** Those of them that may speak of several modules at once. */
  public List<ModuleEntry> patterns() {
    return entries().stream().filter(ModuleEntry::isPattern).toList();
  }

  /**
   * The module names that would be called otherwise, in their order: ignore lists, modules not to
   * convert, block names, keys per module. Patterns are none of them.
   *
   * @param target a module's new name, or the name itself
   */
  public List<String> renamedModules(UnaryOperator<String> target) {
    List<String> renamed = new ArrayList<>();
    for (ModuleEntry entry : entries()) {
      if (!renamed(entry, target).equals(entry.text())) {
        renamed.add(entry.text());
      }
    }
    return renamed;
  }

  /** The entry's text when modules are called otherwise; a pattern keeps its own. */
  public static String renamed(ModuleEntry entry, UnaryOperator<String> target) {
    return switch (entry.syntax()) {
      case NAME, PART -> target.apply(entry.text());
      case DYNAMIC ->
          NAME.matcher(entry.pattern()).matches()
              ? entry.prefix() + target.apply(entry.pattern())
              : entry.text();
      case EXPRESSION, GLOB -> entry.text();
    };
  }

  /**
   * The document with other texts in its entries, and everything else as it was. A key whose new
   * text the same object has already keeps its own.
   *
   * @param target an entry's new text, or its own
   */
  public byte[] rewritten(Function<ModuleEntry, String> target) {
    return JsonRewrite.rewrite(
        json,
        rewrite -> {
          if (isAllQuantization()) {
            copySection(rewrite, root, Place.START, target);
          } else {
            copyConfig(rewrite, root, target);
          }
        });
  }

  private boolean isAllQuantization() {
    return OTHER_FILES.contains(name);
  }

  private static void copyConfig(
      JsonRewrite rewrite, JsonNode config, Function<ModuleEntry, String> target)
      throws IOException {
    rewrite.object(
        member -> {
          if (SECTIONS.contains(member)) {
            rewrite.name(member);
            copySection(rewrite, config.path(member), Place.START, target);
          } else if (member.equals(TEXT_CONFIG) && rewrite.isObject()) {
            rewrite.name(member);
            copyConfig(rewrite, config.path(member), target);
          } else {
            rewrite.copy(member);
          }
        });
  }

  private static void copySection(
      JsonRewrite rewrite, JsonNode node, Place place, Function<ModuleEntry, String> target)
      throws IOException {
    if (node.isObject()) {
      Set<String> taken = new HashSet<>();
      node.fieldNames().forEachRemaining(taken::add);
      rewrite.object(
          member -> {
            String renamed = target.apply(place.key(member));
            rewrite.name(taken.add(renamed) ? renamed : member);
            copySection(rewrite, node.path(member), place.below(member), target);
          });
    } else if (node.isArray()) {
      Iterator<JsonNode> elements = node.elements();
      rewrite.array(() -> copySection(rewrite, elements.next(), place, target));
    } else if (node.isTextual()) {
      rewrite.write(target.apply(place.text(node.textValue())));
    } else {
      rewrite.copy();
    }
  }

  private static void collect(JsonNode node, Place place, Set<ModuleEntry> into) {
    if (node.isObject()) {
      node.fieldNames()
          .forEachRemaining(
              member -> {
                into.add(place.key(member));
                collect(node.path(member), place.below(member), into);
              });
    } else if (node.isArray()) {
      node.forEach(element -> collect(element, place, into));
    } else if (node.isTextual()) {
      into.add(place.text(node.textValue()));
    }
  }

  /** Where in a section something stands: the key of the innermost object around it. */
  private record Place(Optional<String> key) {
    static final Place START = new Place(Optional.empty());

    Place below(String member) {
      return new Place(Optional.of(member));
    }

    ModuleEntry key(String member) {
      return new ModuleEntry(
          member, key.equals(Optional.of(DYNAMIC)) ? ModuleEntry.Syntax.DYNAMIC : syntax(member));
    }

    ModuleEntry text(String value) {
      return new ModuleEntry(
          value,
          key.filter(LISTS_OF_PARTS::contains).isPresent()
                  && syntax(value) == ModuleEntry.Syntax.NAME
              ? ModuleEntry.Syntax.PART
              : syntax(value));
    }

    private static ModuleEntry.Syntax syntax(String text) {
      if (text.startsWith("re:")) {
        return ModuleEntry.Syntax.EXPRESSION;
      }
      return text.indexOf('*') >= 0 ? ModuleEntry.Syntax.GLOB : ModuleEntry.Syntax.NAME;
    }
  }
}
