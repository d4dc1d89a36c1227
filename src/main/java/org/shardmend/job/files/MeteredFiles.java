package org.shardmend.job.files;

import java.io.IOException;
import java.util.List;
import java.util.function.LongConsumer;
import org.shardmend.checkpoint.CheckpointFiles;
import org.shardmend.checkpoint.FileEntry;

/** The same files; {@code meter} is told what is read of them. */
public record MeteredFiles(CheckpointFiles files, LongConsumer meter) implements CheckpointFiles {
  @Override
  public String location() {
    return files.location();
  }

  @Override
  public List<FileEntry> list(String directory) throws IOException {
    return files.list(directory);
  }

  @Override
  public byte[] readPrefix(String name, int maxBytes) throws IOException {
    return metered(files.readPrefix(name, maxBytes));
  }

  @Override
  public byte[] read(String name, long offset, int bytes) throws IOException {
    return metered(files.read(name, offset, bytes));
  }

  private byte[] metered(byte[] read) {
    meter.accept(read.length);
    return read;
  }
}
