package org.shardmend.checkpoint;

import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

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
   * A finding when config.json's quantization section names modules that a repair renames.
   *
   * @param modules a module's new name, or the name itself
   */
  public static Optional<Finding> finding(ModelConfig config, UnaryOperator<String> modules) {
    List<String> renamed = config.renamedModules(modules);
    return renamed.isEmpty()
        ? Optional.empty()
        : Optional.of(
            FindingCode.CONFIG_NAMES_MODULES.finding(
                ModelConfig.FILE_NAME,
                "config.json's quantization section mentions modules that are renamed: "
                    + Wording.examples(renamed)
                    + ". An engine that goes by it treats them otherwise than before; let the"
                    + " config be rewritten, too (--rewrite-config)."));
  }
}
