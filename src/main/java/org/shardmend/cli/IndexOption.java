package org.shardmend.cli;

import org.shardmend.job.PlanRequest;
import picocli.CommandLine.Option;

/** Whether a repair writes the index of a Hugging Face model anew; the same for plan and repair. */
final class IndexOption {
  @Option(
      names = "--rewrite-index",
      description =
          "Write the index of a Hugging Face model anew, from its files' own headers. Which files"
              + " these are is told from the directory.")
  private boolean rewriteIndex;

  /** The request, with the index where it was asked for. */
  PlanRequest on(PlanRequest request) {
    return rewriteIndex ? request.rewriting(request.rewrites().withIndex()) : request;
  }

  /** This option as it was given, after a space, for a shell. */
  String words() {
    return rewriteIndex ? " --rewrite-index" : "";
  }
}
