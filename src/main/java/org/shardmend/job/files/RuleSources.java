package org.shardmend.job.files;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.shardmend.job.spark.DriverHadoop;
import org.shardmend.job.spark.JobException;
import org.shardmend.rules.BuiltinRules;
import org.shardmend.rules.RuleException;
import org.shardmend.rules.RuleFamily;
import org.shardmend.rules.RuleReader;
import org.shardmend.storage.Location;
import org.shardmend.storage.Store;
import org.shardmend.storage.Stores;
import org.shardmend.storage.protocol.SmallFiles;

/** Finds rule families by the names of built-in ones or in files. */
public final class RuleSources {
  private static final int MAX_FILE_BYTES = 16 << 20;

  private RuleSources() {}

  /**
   * The default families and the named ones.
   *
   * @param namesOrFiles built-in families' names, or locations of files
   * @throws JobException USAGE when one is neither, a file does not hold a valid family, or two
   *     different ones have one name
   */
  public static List<RuleFamily> defaultsAnd(List<String> namesOrFiles) throws JobException {
    List<RuleFamily> families =
        BuiltinRules.all().stream()
            .filter(RuleFamily::byDefault)
            .collect(Collectors.toCollection(ArrayList::new));
    addAll(namesOrFiles, families);
    return families;
  }

  /**
   * The named families alone.
   *
   * @throws JobException as {@link #defaultsAnd}
   */
  public static List<RuleFamily> only(List<String> namesOrFiles) throws JobException {
    List<RuleFamily> families = new ArrayList<>();
    addAll(namesOrFiles, families);
    return families;
  }

  /** Adds what is not there yet. */
  private static void addAll(List<String> namesOrFiles, List<RuleFamily> families)
      throws JobException {
    for (String nameOrFile : namesOrFiles) {
      Optional<RuleFamily> builtin = BuiltinRules.find(nameOrFile);
      RuleFamily family = builtin.isPresent() ? builtin.get() : file(nameOrFile);
      Optional<RuleFamily> namesake =
          families.stream().filter(active -> active.name().equals(family.name())).findFirst();
      if (namesake.isEmpty()) {
        families.add(family);
      } else if (!namesake.get().rules().equals(family.rules())
          || !namesake.get().layouts().equals(family.layouts())) {
        throw JobException.usage(
            "rules-namesake",
            "The family in '%s' is called %s, as another active one, with other rules. Give it a name of its own%s."
                .formatted(
                    nameOrFile,
                    family.name(),
                    namesake.get().byDefault()
                        ? ", or leave the default families out (--no-default-rules)"
                        : ""));
      }
    }
  }

  /**
   * The family in a file.
   *
   * @throws JobException USAGE when there is no such file, or it does not hold a valid family
   */
  public static RuleFamily file(String file) throws JobException {
    Configuration hadoop = DriverHadoop.configuration();
    Location location = Locations.parse(file, hadoop);
    try (Store store = Stores.open(location, hadoop)) {
      if (store.stat(location.path()).isEmpty()) {
        throw JobException.usage(
            "no-such-rules",
            "'%s' is neither a built-in rule family nor a file; the built-in ones are %s"
                .formatted(file, names()));
      }
      return RuleReader.read(SmallFiles.read(store, location.path(), MAX_FILE_BYTES), file);
    } catch (RuleException e) {
      throw JobException.usage("bad-rules", e.getMessage(), e);
    } catch (IOException e) {
      throw JobException.usage(
          "unreadable-rules", "Cannot read %s: %s".formatted(location, e.getMessage()), e);
    }
  }

  private static String names() {
    return BuiltinRules.all().stream().map(RuleFamily::name).collect(Collectors.joining(", "));
  }
}
