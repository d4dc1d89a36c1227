package org.shardmend.job.sweep;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.shardmend.job.spark.Progress;

/**
 * The progress of checkpoints that are worked on at the same time, as one stage: a checkpoint's
 * bytes count when it is done, and before that as far as it has moved them.
 */
final class SweepProgress {
  private final Progress out;
  private final List<Part> parts = new ArrayList<>();
  private final AtomicLong finishedBytes = new AtomicLong();

  /** Begins the stage. */
  SweepProgress(Progress out, int checkpoints, long totalBytes) {
    this.out = out;
    out.begin("Sweep %,d checkpoints".formatted(checkpoints), totalBytes);
  }

  /** The progress of one checkpoint. */
  Part begin(SweepTree.Candidate candidate) {
    Part part = new Part(candidate);
    synchronized (parts) {
      parts.add(part);
    }
    return part;
  }

  /** The stage is over. */
  void end() {
    out.end();
  }

  private void update() {
    long moved = finishedBytes.get();
    synchronized (parts) {
      moved += parts.stream().mapToLong(part -> part.moved.get()).sum();
    }
    out.update(moved);
  }

  /** One checkpoint's share. */
  final class Part implements Progress {
    private final SweepTree.Candidate candidate;
    private final AtomicLong moved = new AtomicLong();

    private Part(SweepTree.Candidate candidate) {
      this.candidate = candidate;
    }

    /** A stage's bytes count only as far as they are more than an earlier stage's. */
    @Override
    public void begin(String stage, long totalBytes) {}

    @Override
    public void update(long doneBytes) {
      moved.accumulateAndGet(Math.min(doneBytes, candidate.bytes()), Math::max);
      SweepProgress.this.update();
    }

    @Override
    public void end() {}

    @Override
    public void message(String text) {
      out.message(candidate.location() + ": " + text);
    }

    /** The checkpoint is done with. */
    void finish(SweptCheckpoint swept) {
      synchronized (parts) {
        parts.remove(this);
      }
      finishedBytes.addAndGet(candidate.bytes());
      message(
          "%s, in %.1f s%s"
              .formatted(
                  swept.outcome().id(),
                  swept.seconds(),
                  swept.message().isEmpty()
                      ? ""
                      : ": " + swept.message().lines().findFirst().orElse("")));
      SweepProgress.this.update();
    }
  }
}
