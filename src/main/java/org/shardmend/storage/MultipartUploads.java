package org.shardmend.storage;

import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.apache.hadoop.fs.BBPartHandle;
import org.apache.hadoop.fs.BBUploadHandle;
import org.apache.hadoop.fs.CommonPathCapabilities;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.MultipartUploader;
import org.apache.hadoop.fs.PartHandle;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.UploadHandle;

/**
 * Multipart uploads into one directory of a store: tasks upload parts, the driver completes or
 * aborts; sentences O4 and O5 of {@code publish.md}.
 */
public final class MultipartUploads implements Closeable {
  private final Store store;
  private final Path base;
  private final MultipartUploader uploader;

  private MultipartUploads(Store store, Path base, MultipartUploader uploader) {
    this.store = store;
    this.base = base;
    this.uploader = uploader;
  }

  /**
   * The uploads of a directory, where the file system has such; {@code store} is only asked for
   * names to show.
   *
   * @param directory an absolute path in the store; it need not exist
   * @throws IOException when the file system can't be asked
   */
  public static Optional<MultipartUploads> of(Store store, FileSystem fileSystem, String directory)
      throws IOException {
    Path base = fileSystem.makeQualified(new Path(null, null, directory));
    if (!fileSystem.hasPathCapability(base, CommonPathCapabilities.FS_MULTIPART_UPLOADER)
        || !fileSystem.getConf().getBoolean(HadoopOptions.S3A_UPLOADS, true)) {
      return Optional.empty();
    }
    return Optional.of(
        new MultipartUploads(store, base, fileSystem.createMultipartUploader(base).build()));
  }

  /** A path that is not parsed as text, so that a colon or a percent sign is only a character. */
  private Path literal(String path) {
    return new Path(base.toUri().getScheme(), base.toUri().getAuthority(), path);
  }

  /**
   * Starts the upload of a shard, on an executor. {@link ShardWriter#complete} uploads the last
   * part, and no more: what was uploaded stays invisible until {@link #complete}.
   *
   * @param path below the directory
   * @param expectedBytes what is going to be written, from which the size of a part follows
   */
  public PartWriter start(String path, long expectedBytes) throws IOException {
    CompletableFuture<UploadHandle> starting = uploader.startUpload(literal(path));
    try {
      return new PartWriter(
          this, path, await(starting, "start the upload of", path), expectedBytes);
    } catch (InterruptedIOException interrupted) {
      // The store may have begun it all the same, and nobody else would know.
      CleanUp.run(() -> abort(await(starting, "start the upload of", path), path));
      throw interrupted;
    }
  }

  /** Makes a shard visible, on the driver; over one that an earlier attempt completed. */
  public void complete(PendingUpload pending) throws IOException {
    Map<Integer, PartHandle> parts = new HashMap<>();
    for (int part = 0; part < pending.parts().size(); part++) {
      parts.put(part + 1, BBPartHandle.from(decode(pending.parts().get(part))));
    }
    await(
        uploader.complete(
            BBUploadHandle.from(decode(pending.upload())), literal(pending.path()), parts),
        "complete the upload of",
        pending.path());
  }

  /** Gives a shard up whose parts are uploaded. */
  public void abort(PendingUpload pending) throws IOException {
    abort(BBUploadHandle.from(decode(pending.upload())), pending.path());
  }

  /**
   * Gives every upload below the directory up that was not completed: those of tasks and runs that
   * died. Only when no task of this run uploads any more.
   */
  public void abortAll() throws IOException {
    await(uploader.abortUploadsUnderPath(base), "abort uploads below", base.toUri().getPath());
  }

  void abort(UploadHandle upload, String path) throws IOException {
    await(uploader.abort(upload, literal(path)), "abort the upload of", path);
  }

  PartHandle putPart(UploadHandle upload, String path, int number, boolean isLast, ByteBuffer bytes)
      throws IOException {
    int length = bytes.remaining();
    return await(
        PartUpload.start(
            uploader,
            upload,
            number,
            isLast,
            literal(path),
            new java.io.ByteArrayInputStream(
                bytes.array(), bytes.arrayOffset() + bytes.position(), length),
            length),
        "upload part %d of".formatted(number),
        path);
  }

  Location locate(String path) {
    return store.locate(path);
  }

  static String encode(byte[] handle) {
    return HexFormat.of().formatHex(handle);
  }

  private static ByteBuffer decode(String handle) {
    return ByteBuffer.wrap(HexFormat.of().parseHex(handle));
  }

  private <T> T await(CompletableFuture<T> call, String operation, String path) throws IOException {
    try {
      return call.get();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      InterruptedIOException failure =
          new InterruptedIOException(
              "Interrupted while waiting to %s %s.".formatted(operation, locate(path)));
      failure.initCause(interrupted);
      throw failure;
    } catch (ExecutionException failure) {
      throw StorageFailure.of(
          operation,
          locate(path),
          failure.getCause() instanceof IOException cause
              ? cause
              : new IOException(failure.getCause()));
    }
  }

  @Override
  public void close() throws IOException {
    uploader.close();
  }
}
