package org.shardmend.checkpoint.modules;

import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.shardmend.checkpoint.Finding;
import org.shardmend.checkpoint.FindingCode;
import org.shardmend.checkpoint.Wording;

/** What becomes of a module's name when tensors are renamed: config.json names modules. */
public final class ModuleNames {
  private static final String PARAMETER = ".weight";

  private ModuleNames() {}

  /**
   * The renaming of modules that follows from one of tensors: a module is called as its {@code
   * weight} is, without that.
   *
   * @param tensors a tensor's new name, or the name itself
   */
  public static UnaryOperator<String> following(UnaryOperator<String> tensors) {
    return module -> {
      String target = tensors.apply(module + PARAMETER);
      return target.endsWith(PARAMETER)
          ? target.substring(0, target.length() - PARAMETER.length())
          : module;
    };
  }

  /**
   * A finding when a config names modules that a repair renames.
   *
   * @param modules a module's new name, or the name itself
   */
  public static Optional<Finding> finding(ModuleConfig config, UnaryOperator<String> modules) {
    List<String> renamed = config.renamedModules(modules);
    return renamed.isEmpty()
        ? Optional.empty()
        : Optional.of(
            FindingCode.CONFIG_NAMES_MODULES.finding(
                config.name(),
                config.name()
                    + "'s quantization section mentions modules that are renamed: "
                    + Wording.examples(renamed)
                    + ". An engine that goes by it treats them otherwise than before; let the"
                    + " config be rewritten, too (--rewrite-config)."));
  }

  /**
   * A finding of a pattern that matches other modules than before.
   *
   * @param file the config that holds it
   * @param replacement what to write instead, where that is known
   */
  public static Finding finding(
      String file, PatternEffect effect, Optional<ModuleEntry> replacement) {
    StringBuilder told = new StringBuilder();
    told.append(file).append(": the pattern '").append(effect.entry().text()).append("' ");
    if (!effect.trouble().isEmpty()) {
      told.append("could not be tried on the new names (")
          .append(effect.trouble())
          .append("). See for yourself whether it still matches the modules that it is meant for.");
    } else {
      if (!effect.lost().isEmpty()) {
        told.append("no longer matches modules that it is meant for, which are now called ")
            .append(Wording.examples(effect.lost()));
      }
      if (!effect.gained().isEmpty()) {
        told.append(effect.lost().isEmpty() ? "" : ", and ")
            .append("matches modules that it did not match before: ")
            .append(Wording.examples(effect.gained()));
      }
      told.append(". An engine quantizes them otherwise than before. ");
      told.append(
          replacement
              .map(other -> "Write '" + other.text() + "' instead, as --rewrite-config does.")
              .orElse(
                  "No like pattern for the new names was found: write one, or these names"
                      + " themselves."));
    }
    return FindingCode.CONFIG_NAMES_MODULES.finding(file, told.toString());
  }
}
