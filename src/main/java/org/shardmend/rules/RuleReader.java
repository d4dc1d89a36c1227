package org.shardmend.rules;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads rule files. A file is one JSON object in UTF-8, and every key is required:
 *
 * <pre>{@code
 * {"name": "mla-kv-b-proj", "about": "...", "layouts": ["sharded_state"], "default": true,
 *  "rules": [{"from": "(?<attn>.*)\\.attn_mha\\.kv_b_proj\\.(?<param>.+)",
 *             "to": "${attn}.kv_b_proj.${param}",
 *             "examples": [["a.attn_mha.kv_b_proj.weight", "a.kv_b_proj.weight"]]}]}
 * }</pre>
 *
 * <p>Reading is strict: what the reader does not know it refuses, and a family that it returns has
 * been tried on each of its examples.
 */
public final class RuleReader {
  private static final List<String> FAMILY_KEYS =
      List.of("name", "about", "layouts", "default", "rules");
  private static final List<String> RULE_KEYS = List.of("from", "to", "examples");

  /** One step of a place like {@code examples[0][1]}. */
  private static final Pattern STEP = Pattern.compile("[a-z]+|[0-9]+");

  private RuleReader() {}

  /**
   * Reads one family.
   *
   * @param json the whole file
   * @param origin what to call it in messages: its path or location
   * @throws RuleException if anything about it is wrong: syntax, keys, types, names, patterns,
   *     references, examples; the first such thing is reported, with its line and column
   */
  public static RuleFamily read(byte[] json, String origin) throws RuleException {
    LocatedJson.JsonObject family = LocatedJsonParser.parse(json, origin).object();
    family.checkKeys(FAMILY_KEYS);
    String name = family.child("name").text();
    String about = family.child("about").text();
    List<String> layouts = texts(family.child("layouts"));
    boolean byDefault = family.child("default").flag();
    List<Rule> rules = rules(family.child("rules"));
    RuleFamily read = located(family, () -> new RuleFamily(name, about, layouts, byDefault, rules));
    checkTogether(read, family);
    return read;
  }

  private static List<String> texts(LocatedJson list) throws RuleException {
    List<String> texts = new ArrayList<>();
    for (LocatedJson item : list.list().items()) {
      texts.add(item.text());
    }
    return texts;
  }

  private static List<Rule> rules(LocatedJson list) throws RuleException {
    List<Rule> rules = new ArrayList<>();
    for (LocatedJson item : list.list().items()) {
      rules.add(rule(item.object()));
    }
    return rules;
  }

  private static Rule rule(LocatedJson.JsonObject rule) throws RuleException {
    rule.checkKeys(RULE_KEYS);
    String from = rule.child("from").text();
    String to = rule.child("to").text();
    List<RuleExample> examples = examples(rule.child("examples"));
    return located(rule, () -> Rule.of(from, to, examples));
  }

  private static List<RuleExample> examples(LocatedJson list) throws RuleException {
    List<RuleExample> examples = new ArrayList<>();
    for (LocatedJson item : list.list().items()) {
      List<String> pair = texts(item);
      if (pair.size() != 2) {
        throw item.place()
            .fault(
                String.format("This list has %d entries.", pair.size()),
                "An example is two names: [\"name before\", \"name after\"].");
      }
      examples.add(new RuleExample(pair.get(0), pair.get(1)));
    }
    return examples;
  }

  /** Each example must come out as it says also when all rules of the family are looked at. */
  private static void checkTogether(RuleFamily family, LocatedJson.JsonObject source)
      throws RuleException {
    RuleSet alone = RuleSet.of(List.of(family), family.layouts().get(0));
    for (int r = 0; r < family.rules().size(); r++) {
      List<RuleExample> examples = family.rules().get(r).examples();
      for (int e = 0; e < examples.size(); e++) {
        String part = String.format("rules[%d].examples[%d]", r, e);
        String refusal =
            alone
                .outcome(examples.get(e).from())
                .fold(() -> "", renamed -> "", refused -> refused.reason());
        if (!refusal.isEmpty()) {
          throw find(source, part).fault("A name like this would be refused.", refusal);
        }
      }
    }
  }

  /** Builds what was read, and gives a fault in a part of it that part's place in the file. */
  private static <T> T located(LocatedJson.JsonObject source, Supplier<T> build)
      throws RuleException {
    try {
      return build.get();
    } catch (InvalidRuleException e) {
      RuleException located = find(source, e.part()).fault(e.problem(), e.remedy());
      located.initCause(e);
      throw located;
    }
  }

  /** The place of {@code part}, such as {@code examples[0][1]}, below {@code source}. */
  private static JsonPlace find(LocatedJson source, String part) {
    LocatedJson value = source;
    Matcher step = STEP.matcher(part);
    while (step.find()) {
      value = value.child(step.group());
    }
    return value.place();
  }
}
