package org.shardmend.job.spark;

/** Where a job says how far it is. Called from the driver only, from any of its threads. */
public interface Progress {

  /** Says nothing. */
  Progress SILENT =
      new Progress() {
        @Override
        public void begin(String stage, long totalBytes) {}

        @Override
        public void update(long doneBytes) {}

        @Override
        public void end() {}

        @Override
        public void message(String text) {}
      };

  /**
   * A stage begins.
   *
   * @param stage what it does, as a verb phrase
   * @param totalBytes what it is going to move; 0 when it moves nothing worth counting
   */
  void begin(String stage, long totalBytes);

  /**
   * How far the stage is.
   *
   * @param doneBytes bytes moved since it began
   */
  void update(long doneBytes);

  /** The stage has ended. */
  void end();

  /** Something that people should read now. */
  void message(String text);
}
