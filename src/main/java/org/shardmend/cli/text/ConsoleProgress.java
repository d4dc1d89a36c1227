package org.shardmend.cli.text;

import java.io.PrintStream;
import java.time.Duration;
import java.util.function.Consumer;
import org.shardmend.job.spark.Progress;
import org.shardmend.plan.ByteSize;

/**
 * Progress for people: on a terminal one live line, elsewhere a line now and then, so that a log
 * stays readable. Stages that move nothing are named once.
 */
public final class ConsoleProgress implements Progress {
  private static final long LIVE_NANOS = Duration.ofMillis(200).toNanos();
  private static final long LOG_NANOS = Duration.ofSeconds(10).toNanos();
  private static final int LINE_WIDTH = 100;

  private final Consumer<String> lines;
  private final PrintStream terminal;
  private final boolean live;
  private String stage = "";
  private long total;
  private long began;
  private long shown;
  private boolean lineOpen;

  private ConsoleProgress(Consumer<String> lines, PrintStream terminal, boolean live) {
    this.lines = lines;
    this.terminal = terminal;
    this.live = live;
  }

  /** On a terminal. */
  public static ConsoleProgress live(PrintStream terminal) {
    return new ConsoleProgress(terminal::println, terminal, true);
  }

  /** In a log, whose lines {@code log} writes. */
  public static ConsoleProgress lines(Consumer<String> log) {
    return new ConsoleProgress(log, System.err, false);
  }

  @Override
  public synchronized void begin(String newStage, long totalBytes) {
    closeLine();
    stage = newStage;
    total = totalBytes;
    began = System.nanoTime();
    shown = began;
    if (live) {
      show(stage + " …");
    } else {
      lines.accept(stage + (total > 0 ? " (" + ByteSize.format(total) + ")" : ""));
    }
  }

  @Override
  public synchronized void update(long doneBytes) {
    long now = System.nanoTime();
    if (total <= 0 || now - shown < (live ? LIVE_NANOS : LOG_NANOS)) {
      return;
    }
    shown = now;
    String line = line(doneBytes, Math.max(1, now - began));
    if (live) {
      show(line);
    } else {
      lines.accept("  " + line);
    }
  }

  private String line(long done, long nanos) {
    double seconds = nanos / 1e9;
    double rate = done / seconds;
    String left = rate > 0 ? duration((long) ((total - done) / rate)) : "unknown";
    return "%s: %s of %s, %d %%, %s/s, %s left"
        .formatted(
            stage,
            ByteSize.format(done),
            ByteSize.format(total),
            Math.min(100, done * 100 / total),
            ByteSize.format((long) rate),
            left);
  }

  private static String duration(long seconds) {
    if (seconds < 60) {
      return Math.max(0, seconds) + " s";
    }
    return seconds < 3600
        ? "%d min %02d s".formatted(seconds / 60, seconds % 60)
        : "%d h %02d min".formatted(seconds / 3600, seconds / 60 % 60);
  }

  @Override
  public synchronized void end() {
    closeLine();
    stage = "";
    total = 0;
  }

  @Override
  public synchronized void message(String text) {
    closeLine();
    lines.accept(Printable.lines(text));
  }

  private void show(String line) {
    terminal.print("\r" + line + " ".repeat(Math.max(0, LINE_WIDTH - line.length())));
    terminal.flush();
    lineOpen = true;
  }

  private void closeLine() {
    if (lineOpen) {
      terminal.print("\r" + " ".repeat(LINE_WIDTH) + "\r");
      terminal.flush();
      lineOpen = false;
    }
  }
}
