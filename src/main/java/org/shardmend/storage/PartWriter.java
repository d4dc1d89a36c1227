package org.shardmend.storage;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.fs.UploadHandle;

/**
 * Uploads a shard part by part, through one buffer. It never makes the shard visible: {@link
 * #pending()} is what the driver completes.
 */
public final class PartWriter implements ShardWriter {
  /** Least size of a part, in bytes; stores ask for 5 MiB or more, but for the last one. */
  static final int MIN_PART_BYTES = 8 << 20;

  /** Stores take 10,000 parts; some are left for a shard that comes out longer than expected. */
  private static final int MAX_PARTS = 9_000;

  private final MultipartUploads uploads;
  private final String path;
  private final UploadHandle upload;
  private final ByteBuffer buffer;
  private final List<String> parts = new ArrayList<>();
  private long position;
  private boolean completed;
  private boolean aborted;

  PartWriter(MultipartUploads uploads, String path, UploadHandle upload, long expectedBytes) {
    this.uploads = uploads;
    this.path = path;
    this.upload = upload;
    this.buffer = ByteBuffer.allocate(partBytes(expectedBytes));
  }

  /**
   * How large the parts of a shard are, in bytes.
   *
   * @throws IllegalArgumentException when the shard is too large for any store
   */
  static int partBytes(long expectedBytes) {
    long bytes = Math.max(MIN_PART_BYTES, -Math.floorDiv(-expectedBytes, (long) MAX_PARTS));
    if (bytes > Integer.MAX_VALUE / 2) {
      throw new IllegalArgumentException(
          "A shard of %d bytes is too large for a multipart upload.".formatted(expectedBytes));
    }
    return (int) bytes;
  }

  @Override
  public Location location() {
    return uploads.locate(path);
  }

  @Override
  public long position() {
    return position;
  }

  @Override
  public void write(ByteBuffer bytes) throws IOException {
    requireOpen();
    while (bytes.hasRemaining()) {
      if (!buffer.hasRemaining()) {
        upload(false);
      }
      int count = Math.min(bytes.remaining(), buffer.remaining());
      buffer.put(bytes.slice(bytes.position(), count));
      bytes.position(bytes.position() + count);
      position += count;
    }
  }

  /** Does nothing: what the driver completes is durable, and nothing before. */
  @Override
  public void sync() {}

  @Override
  public void complete() throws IOException {
    requireOpen();
    upload(true);
    completed = true;
  }

  /** What the driver completes or aborts. */
  @Override
  public PendingUpload pending() {
    if (!completed) {
      throw new IllegalStateException("%s is not uploaded as a whole yet.".formatted(location()));
    }
    return new PendingUpload(path, MultipartUploads.encode(upload.toByteArray()), parts, position);
  }

  @Override
  public void abort() throws IOException {
    if (!completed && !aborted) {
      aborted = true;
      CleanUp.run(() -> uploads.abort(upload, path));
    }
  }

  private void upload(boolean isLast) throws IOException {
    buffer.flip();
    parts.add(
        MultipartUploads.encode(
            uploads.putPart(upload, path, parts.size() + 1, isLast, buffer).toByteArray()));
    buffer.clear();
  }

  private void requireOpen() {
    if (completed || aborted) {
      throw new IllegalStateException("%s is not being written any more.".formatted(location()));
    }
  }
}
