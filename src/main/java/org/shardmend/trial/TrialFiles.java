package org.shardmend.trial;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongConsumer;
import org.shardmend.safetensors.Header;
import org.shardmend.safetensors.HeaderWriter;
import org.shardmend.safetensors.SafetensorsException;
import org.shardmend.safetensors.TensorEntry;
import org.shardmend.safetensors.UnknownDtypes;
import org.shardmend.storage.Location;
import org.shardmend.storage.ShardWriter;
import org.shardmend.storage.Store;

/** Writes the files of one generated checkpoint, and counts what it wrote. */
final class TrialFiles {
  private static final int BUFFER_BYTES = 256 * 1024;

  private final Store store;
  private final boolean sparse;
  private final LongConsumer progress;
  private final byte[] buffer = new byte[BUFFER_BYTES];
  private int shards;
  private long tensors;
  private long dataBytes;
  private long shardBytes;

  /**
   * @param sparse whether data are left as holes
   * @param progress told how many bytes of weight files were written so far
   */
  TrialFiles(Store store, boolean sparse, LongConsumer progress) {
    this.store = store;
    this.sparse = sparse;
    this.progress = progress;
  }

  /** How many weight files were written. */
  int shards() {
    return shards;
  }

  /** How many tensors they hold. */
  long tensors() {
    return tensors;
  }

  /** How many bytes of data they hold. */
  long dataBytes() {
    return dataBytes;
  }

  /** How long they are together. */
  long shardBytes() {
    return shardBytes;
  }

  void makeDirectory(Location directory) throws IOException {
    store.makeDirectories(directory.path());
  }

  /** Writes a text file. */
  void text(Location file, String content) throws IOException {
    try (ShardWriter writer = store.create(file.path())) {
      writer.write(ByteBuffer.wrap(content.getBytes(StandardCharsets.UTF_8)));
      writer.complete();
    }
  }

  /** Writes a safetensors file as the reference writer lays it out. */
  void tensors(Location file, Optional<Map<String, String>> metadata, List<StoredTensor> content)
      throws IOException {
    List<StoredTensor> ordered = content.stream().sorted(StoredTensor.FILE_ORDER).toList();
    Header header = header(file, metadata, ordered);
    byte[] encoded = HeaderWriter.encode(header);
    try (ShardWriter writer = store.create(file.path())) {
      writer.write(ByteBuffer.wrap(encoded));
      if (!sparse) {
        data(writer, ordered);
      }
      writer.complete();
    }
    if (sparse && header.dataBytes() > 0) {
      store.extend(file.path(), encoded.length + header.dataBytes());
    }
    shards++;
    tensors += ordered.size();
    dataBytes += header.dataBytes();
    shardBytes += encoded.length + header.dataBytes();
    progress.accept(shardBytes);
  }

  private static Header header(
      Location file, Optional<Map<String, String>> metadata, List<StoredTensor> ordered) {
    List<TensorEntry> entries = new ArrayList<>();
    long begin = 0;
    for (StoredTensor stored : ordered) {
      TrialTensor tensor = stored.tensor();
      long end = begin + tensor.bytes();
      entries.add(
          new TensorEntry(stored.key(), tensor.type().dtype().name(), tensor.shape(), begin, end));
      begin = end;
    }
    try {
      return Header.of(metadata, entries, UnknownDtypes.REFUSE);
    } catch (SafetensorsException invalid) {
      throw new IllegalStateException(
          "The generator made an invalid header for %s.".formatted(file), invalid);
    }
  }

  /** Fills the buffer across tensors, so that many small ones cost one write. */
  private void data(ShardWriter writer, List<StoredTensor> ordered) throws IOException {
    int filled = 0;
    for (StoredTensor stored : ordered) {
      long bytes = stored.tensor().bytes();
      long done = 0;
      while (done < bytes) {
        if (BUFFER_BYTES - filled < Long.BYTES) {
          flush(writer, filled);
          filled = 0;
        }
        int step = TensorBytes.step(bytes - done, BUFFER_BYTES - filled);
        stored.data().fill(done, buffer, filled, step);
        filled += step;
        done += step;
      }
    }
    flush(writer, filled);
  }

  private void flush(ShardWriter writer, int length) throws IOException {
    writer.write(ByteBuffer.wrap(buffer, 0, length));
    progress.accept(shardBytes + writer.position());
  }
}
