package org.shardmend.cli.option;

import java.util.List;
import org.shardmend.job.plan.PlanRequest;
import org.shardmend.job.plan.Rewrites;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** What a repair of a Hugging Face model writes anew; the same for plan and repair. */
public final class RewriteOptions {
  @Option(
      names = "--rewrite-index",
      description =
          "Write the index of a Hugging Face model anew, from its files' own headers. Which files"
              + " these are is told from the directory.")
  private boolean rewriteIndex;

  @Option(
      names = "--set-format",
      paramLabel = "F",
      converter = FormatName.class,
      description =
          "Set __metadata__.format of a Hugging Face model's files, which older Transformers and"
              + " MLX ask for: pt, tf, flax or mlx.")
  private String format = "";

  /** The request, with what was asked for. */
  public PlanRequest on(PlanRequest request) {
    Rewrites asked = request.rewrites().withFormat(format);
    return request.rewriting(rewriteIndex ? asked.withIndex() : asked);
  }

  /** These options as they were given, each after a space, for a shell. */
  public String words() {
    return (rewriteIndex ? " --rewrite-index" : "")
        + (format.isEmpty() ? "" : " --set-format " + format);
  }

  private static final class FormatName implements ITypeConverter<String> {
    private static final List<String> KNOWN = List.of("pt", "tf", "flax", "mlx");

    @Override
    public String convert(String text) {
      if (KNOWN.contains(text)) {
        return text;
      }
      throw new TypeConversionException(
          "'%s' is no format that loaders know; there are %s"
              .formatted(text, String.join(", ", KNOWN)));
    }
  }
}
