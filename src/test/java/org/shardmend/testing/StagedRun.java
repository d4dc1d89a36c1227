package org.shardmend.testing;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.shardmend.storage.LocalStore;
import org.shardmend.storage.Location;
import org.shardmend.storage.lock.RunNote;

/** What a run has staged in an audit, and whose process then fares as a test wants it. */
public final class StagedRun {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final Path directory;
  private final Path note;

  private StagedRun(Path directory) {
    this.directory = directory;
    this.note = directory.resolve("holder.json");
  }

  /** One of this process, whose rows are not complete. */
  public static StagedRun make(Path audit, String run, Path target) throws IOException {
    StagedRun staged = of(audit, run);
    Files.createDirectories(staged.directory);
    Files.writeString(staged.directory.resolve("tensors-0-0.parquet"), "rows");
    RunNote.leave(
        new LocalStore(), staged.directory.toString(), run, Location.ofFile(target.toString()));
    return staged;
  }

  /** One that is there. */
  public static StagedRun of(Path audit, String run) {
    return new StagedRun(audit.resolve("_staging").resolve(run));
  }

  /** Makes its rows complete. */
  public StagedRun prepared() throws IOException {
    Files.writeString(directory.resolve("append.json"), "{}");
    return this;
  }

  /** Makes it of a process that has ended. */
  public StagedRun dead() throws IOException, InterruptedException {
    Process process = new ProcessBuilder("true").start();
    process.waitFor();
    ObjectNode content = content();
    ((ObjectNode) content.path("holder")).put("pid", process.pid());
    JSON.writeValue(note.toFile(), content);
    return this;
  }

  /** Makes it of a process on another machine. */
  public StagedRun elsewhere() throws IOException {
    ObjectNode content = content();
    ((ObjectNode) content.path("holder")).put("host", "elsewhere");
    JSON.writeValue(note.toFile(), content);
    return this;
  }

  /** Takes away what says whose it is. */
  public StagedRun nobodys() throws IOException {
    Files.delete(note);
    return this;
  }

  private ObjectNode content() throws IOException {
    return (ObjectNode) JSON.readTree(note.toFile());
  }

  /** Where it is. */
  public Path directory() {
    return directory;
  }
}
