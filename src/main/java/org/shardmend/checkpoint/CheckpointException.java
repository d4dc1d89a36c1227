package org.shardmend.checkpoint;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * A checkpoint that cannot be worked on. The message is for people: it says what is wrong, where,
 * and what to do.
 */
public final class CheckpointException extends Exception {
  private static final long serialVersionUID = 1L;

  /** What kind of trouble it is; the command line turns it into an exit code. */
  public enum Reason {
    /** The path or an option is wrong. */
    USAGE,
    /** The checkpoint is malformed, unfinished, or contradicts itself. */
    REFUSED,
    /** Something could not be read; trying again may help. */
    FAILED
  }

  private final Reason reason;
  private final String code;
  private final String shard;
  private final String tensor;
  private final List<Finding> problems;

  private CheckpointException(
      Reason reason,
      String code,
      String shard,
      String tensor,
      String message,
      List<Finding> problems,
      Throwable cause) {
    super(message, cause);
    this.reason = reason;
    this.code = code;
    this.shard = shard;
    this.tensor = tensor;
    this.problems = List.copyOf(problems);
  }

  /** A path or an option that is wrong. */
  public static CheckpointException usage(String code, String message) {
    return new CheckpointException(
        Reason.USAGE, code, "", "", OneLine.of(message), List.of(), null);
  }

  /**
   * A checkpoint that is malformed in one file.
   *
   * @param shard the file, relative to the checkpoint
   */
  public static CheckpointException refused(String code, String shard, String message) {
    return refused(code, shard, "", message, null);
  }

  /**
   * A checkpoint that is malformed in one file, found by a reader of that file.
   *
   * @param shard the file, relative to the checkpoint
   * @param tensor the tensor concerned; empty when it is no single tensor
   */
  public static CheckpointException refused(
      String code, String shard, String tensor, String message, Throwable cause) {
    String line = OneLine.of(message);
    Finding problem = new Finding(code, Severity.ERROR, shard, line);
    return new CheckpointException(
        Reason.REFUSED, code, shard, tensor, line, List.of(problem), cause);
  }

  /**
   * A checkpoint that is malformed in one file, which the message names with its place, and the
   * problem by its name alone: a problem is told of a checkpoint whose place is said before.
   *
   * @param location the checkpoint, as shown to people
   * @param file relative to the checkpoint
   * @param tensor the tensor concerned; empty when it is no single tensor
   * @param what what is wrong, to be read right behind the file's name: {@code " is no regular
   *     file"}
   */
  public static CheckpointException refusedFile(
      FindingCode code, String location, String file, String tensor, String what, Throwable cause) {
    Finding problem = new Finding(code.code(), Severity.ERROR, file, OneLine.of(file + what));
    return new CheckpointException(
        Reason.REFUSED,
        code.code(),
        file,
        tensor,
        OneLine.of(location + "/" + file + what),
        List.of(problem),
        cause);
  }

  /**
   * A checkpoint with one or more problems. The first gives the code and the file.
   *
   * @param location the checkpoint, as shown to people
   * @throws IllegalArgumentException if there are none
   */
  public static CheckpointException refused(String location, List<Finding> problems) {
    if (problems.isEmpty()) {
      throw new IllegalArgumentException("A refusal needs a problem.");
    }
    Finding first = problems.get(0);
    String message =
        problems.size() == 1
            ? location + ": " + first.message()
            : problems.stream()
                .map(problem -> "\n  " + problem.message())
                .collect(
                    Collectors.joining("", location + ": " + problems.size() + " problems:", ""));
    return new CheckpointException(
        Reason.REFUSED, first.code(), first.shard(), "", message, problems, null);
  }

  /**
   * A file or directory that could not be read.
   *
   * @param shard the file, relative to the checkpoint; empty for the checkpoint's own directory
   */
  public static CheckpointException failed(
      String code, String shard, String message, IOException cause) {
    return new CheckpointException(
        Reason.FAILED, code, shard, "", OneLine.of(message), List.of(), cause);
  }

  /** What kind of trouble it is. */
  public Reason reason() {
    return reason;
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

  /** Every problem that led to a refusal, each an error; empty for the other reasons. */
  public List<Finding> problems() {
    return problems;
  }
}
