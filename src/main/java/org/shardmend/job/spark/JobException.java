package org.shardmend.job.spark;

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.shardmend.checkpoint.CheckpointException;
import org.shardmend.checkpoint.Finding;
import org.shardmend.storage.Location;

/**
 * A command that did not reach its end. The message is for people: it names what was wrong and
 * where, and what to do.
 */
public final class JobException extends Exception {
  private static final long serialVersionUID = 1L;

  /** What kind of end it is; each has an exit code of the command line. */
  public enum Kind {
    /** A path, an option or a rules file is wrong. */
    USAGE,
    /** The checkpoint can't be repaired safely; nothing was changed. */
    REFUSED,
    /** Reading, writing, locking or running failed; nothing was published. */
    FAILED
  }

  /** So many refusals are spelled out in one message; the document has all. */
  private static final int MOST_IN_MESSAGE = 20;

  private final Kind kind;
  private final String code;
  private final String shard;
  private final String tensor;
  private final List<Finding> problems;

  private JobException(
      Kind kind,
      String code,
      String shard,
      String tensor,
      String message,
      List<Finding> problems,
      Throwable cause) {
    super(message, cause);
    this.kind = kind;
    this.code = code;
    this.shard = shard;
    this.tensor = tensor;
    this.problems = List.copyOf(problems);
  }

  /** Something that the user wrote is wrong. */
  public static JobException usage(String code, String message) {
    return new JobException(Kind.USAGE, code, "", "", message, List.of(), null);
  }

  /** Something that the user wrote is wrong, found by a reader of it. */
  public static JobException usage(String code, String message, Throwable cause) {
    return new JobException(Kind.USAGE, code, "", "", message, List.of(), cause);
  }

  /** The checkpoint is not one that can be repaired safely. */
  public static JobException refused(String code, String message, List<Finding> problems) {
    String shard = problems.isEmpty() ? "" : problems.get(0).shard();
    return new JobException(Kind.REFUSED, code, shard, "", message, problems, null);
  }

  /**
   * The checkpoint is not one that can be repaired safely, for several reasons.
   *
   * @param reasons at least one; the first gives the code
   */
  public static JobException refused(Location checkpoint, List<Finding> reasons) {
    return refused(reasons.get(0).code(), checkpoint, reasons);
  }

  /** As above, with a code for all reasons together. */
  public static JobException refused(String code, Location checkpoint, List<Finding> reasons) {
    String listed =
        reasons.stream()
            .limit(MOST_IN_MESSAGE)
            .map(reason -> "\n  " + reason.message())
            .collect(Collectors.joining());
    String more =
        reasons.size() > MOST_IN_MESSAGE
            ? "\n  … and %,d more; --json lists every one"
                .formatted(reasons.size() - MOST_IN_MESSAGE)
            : "";
    return refused(
        code,
        "%s is refused, nothing was changed:%s%s".formatted(checkpoint, listed, more),
        reasons);
  }

  /** Something failed that may work when run again. */
  public static JobException failed(String code, String message, Throwable cause) {
    return new JobException(Kind.FAILED, code, "", "", message, List.of(), cause);
  }

  /** Something failed on one shard. */
  public static JobException failed(String code, String shard, String message, Throwable cause) {
    return new JobException(Kind.FAILED, code, shard, "", message, List.of(), cause);
  }

  /** The same trouble, as a job's end. */
  public static JobException of(CheckpointException cause) {
    Kind kind =
        switch (cause.reason()) {
          case USAGE -> Kind.USAGE;
          case REFUSED -> Kind.REFUSED;
          case FAILED -> Kind.FAILED;
        };
    return new JobException(
        kind,
        cause.code(),
        cause.shard().orElse(""),
        cause.tensor().orElse(""),
        cause.getMessage(),
        cause.problems(),
        cause);
  }

  /** What kind of end it is. */
  public Kind kind() {
    return kind;
  }

  /** Stable, in kebab case. */
  public String code() {
    return code;
  }

  /** The file concerned, relative to the checkpoint. */
  public Optional<String> shard() {
    return shard.isEmpty() ? Optional.empty() : Optional.of(shard);
  }

  /** The tensor concerned. */
  public Optional<String> tensor() {
    return tensor.isEmpty() ? Optional.empty() : Optional.of(tensor);
  }

  /** What led to a refusal, each an error. */
  public List<Finding> problems() {
    return problems;
  }
}
