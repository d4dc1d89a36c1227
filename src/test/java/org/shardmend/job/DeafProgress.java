package org.shardmend.job;

import org.shardmend.job.spark.Progress;

/** Progress that nobody looks at, for tests that want to hear of one thing only. */
public class DeafProgress implements Progress {
  @Override
  public void begin(String stage, long totalBytes) {}

  @Override
  public void update(long doneBytes) {}

  @Override
  public void end() {}

  @Override
  public void message(String text) {}
}
