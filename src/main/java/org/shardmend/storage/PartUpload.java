package org.shardmend.storage;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.fs.MultipartUploader;
import org.apache.hadoop.fs.PartHandle;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.UploadHandle;

/**
 * Hadoop's {@code MultipartUploader.putPart}, in the form that the client at hand has: Hadoop
 * 3.4.2, of Spark 4.1, is told which part is the last; earlier ones are not.
 */
final class PartUpload {
  private static final Method PUT_PART =
      Arrays.stream(MultipartUploader.class.getMethods())
          .filter(method -> method.getName().equals("putPart"))
          .findFirst()
          .orElseThrow();
  private static final boolean IS_TOLD_THE_LAST = PUT_PART.getParameterCount() == 6;

  private PartUpload() {}

  /**
   * Uploads {@code bytes} bytes of {@code in} as one part.
   *
   * @param number from 1
   * @throws IOException what the uploader throws
   */
  @SuppressWarnings("unchecked") // What the method has returned in every version.
  static CompletableFuture<PartHandle> start(
      MultipartUploader uploader,
      UploadHandle upload,
      int number,
      boolean isLast,
      Path path,
      InputStream in,
      long bytes)
      throws IOException {
    try {
      Object part =
          IS_TOLD_THE_LAST
              ? PUT_PART.invoke(uploader, upload, number, isLast, path, in, bytes)
              : PUT_PART.invoke(uploader, upload, number, path, in, bytes);
      return (CompletableFuture<PartHandle>) part;
    } catch (InvocationTargetException e) {
      if (e.getCause() instanceof IOException failure) {
        throw failure;
      }
      throw new IllegalStateException("Cannot upload a part of " + path, e.getCause());
    } catch (IllegalAccessException e) {
      throw new IllegalStateException("Cannot call " + PUT_PART, e);
    }
  }
}
