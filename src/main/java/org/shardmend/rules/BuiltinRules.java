package org.shardmend.rules;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * The families that come with Shardmend: the files of {@code conf/rules}, which the build puts on
 * the class path. A class path cannot be listed portably, so {@code conf/rules/index} names them,
 * one family a line.
 */
public final class BuiltinRules {
  private static final String DIRECTORY = "builtin/";
  private static final String INDEX = "index";

  private BuiltinRules() {}

  /**
   * All built-in families, by name.
   *
   * @throws IllegalStateException if this build's rule files are missing or wrong
   */
  public static List<RuleFamily> all() {
    return Loaded.FAMILIES;
  }

  /** The built-in family with that name. */
  public static Optional<RuleFamily> find(String name) {
    return all().stream().filter(family -> family.name().equals(name)).findFirst();
  }

  /** Read once, and only when somebody asks. */
  private static final class Loaded {
    static final List<RuleFamily> FAMILIES =
        new String(read(INDEX), StandardCharsets.UTF_8)
            .lines()
            .map(Loaded::family)
            .sorted(Comparator.comparing(RuleFamily::name))
            .toList();

    private static RuleFamily family(String name) {
      String file = name + ".json";
      try {
        return RuleReader.read(read(file), "conf/rules/" + file);
      } catch (RuleException e) {
        throw new IllegalStateException("This build is broken: " + e.getMessage(), e);
      }
    }

    private static byte[] read(String file) {
      try (InputStream resource = BuiltinRules.class.getResourceAsStream(DIRECTORY + file)) {
        if (resource == null) {
          throw new IllegalStateException(
              "This build is broken: the class path has no built-in rule file " + file);
        }
        return resource.readAllBytes();
      } catch (IOException e) {
        throw new UncheckedIOException("Reading the built-in rule file " + file + " failed", e);
      }
    }
  }
}
