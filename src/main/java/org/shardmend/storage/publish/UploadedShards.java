package org.shardmend.storage.publish;

import java.io.IOException;
import org.shardmend.storage.MultipartUploads;
import org.shardmend.storage.PendingUpload;
import org.shardmend.storage.ShardWriter;

/** Each attempt uploads the parts, and the driver completes one upload; O4 and O5 of publish.md. */
final class UploadedShards implements ShardIntake {
  private final MultipartUploads uploads;
  private final Staging staging;

  UploadedShards(MultipartUploads uploads, Staging staging) {
    this.uploads = uploads;
    this.staging = staging;
  }

  @Override
  public ShardWriter start(int number, long attempt, String name, long bytes) throws IOException {
    return uploads.start(staging.outPath(name), bytes);
  }

  @Override
  public void take(ShardReceipt receipt, PendingUpload pending) throws IOException {
    uploads.complete(pending);
    staging.keep(receipt);
  }

  @Override
  public void discardUnfinished() throws IOException {
    uploads.abortAll();
  }

  @Override
  public void close() throws IOException {
    uploads.close();
  }
}
