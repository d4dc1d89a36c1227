package org.shardmend.checkpoint.modules;

import java.io.Serializable;

/**
 * How a quantization config speaks of modules in one place.
 *
 * @param text as it stands there
 * @param syntax how engines read it
 */
public record ModuleEntry(String text, Syntax syntax) implements Serializable {

  /** How engines read such a text. */
  public enum Syntax {
    /** A module's whole name, or something that is no name at all. */
    NAME(""),
    /**
     * A regular expression behind {@code re:}, matched from the name's start on: {@code
     * compressed_tensors/utils.py} of vLLM and SGLang, {@code _is_equal_or_regex_match}.
     */
    EXPRESSION("re:"),
    /**
     * A key of GPTQModel's {@code dynamic}: a regular expression, perhaps behind {@code +:} or
     * {@code -:}, matched from the name's start on.
     */
    DYNAMIC(""),
    /** A name with stars, as ModelOpt and Quark write it; it must match the whole of a name. */
    GLOB(""),
    /** Part of a name: {@code modules_to_not_convert} holds for every module that contains it. */
    PART("");

    private final String prefix;

    Syntax(String prefix) {
      this.prefix = prefix;
    }
  }

  /** What stands before the pattern itself. */
  String prefix() {
    return syntax == Syntax.DYNAMIC && (text.startsWith("+:") || text.startsWith("-:"))
        ? text.substring(0, 2)
        : syntax.prefix;
  }

  /** The pattern itself. */
  String pattern() {
    return text.substring(prefix().length());
  }

  /** The same entry with another pattern. */
  ModuleEntry withPattern(String other) {
    return new ModuleEntry(prefix() + other, syntax);
  }

  /** Whether it may speak of several modules. */
  public boolean isPattern() {
    return syntax != Syntax.NAME;
  }
}
