package org.shardmend.storage.protocol;

/**
 * Hears of each step of a protocol just before it is taken, and once more when the last one is
 * done. Tests stop there: by an exception, or by killing the process.
 *
 * <p>Steps of a pool are told from its threads, several at once.
 */
@FunctionalInterface
public interface StepListener {

  /** Listens to nothing. */
  StepListener NONE = step -> {};

  /**
   * Called before the step.
   *
   * @param step protocol, step and what it concerns, such as {@code "journal: patch
   *     model-rank-0-part-0.safetensors"}
   */
  void reached(String step);
}
