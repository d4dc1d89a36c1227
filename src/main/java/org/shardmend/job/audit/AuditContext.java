package org.shardmend.job.audit;

import java.io.Serializable;
import java.util.Locale;
import org.shardmend.audit.RunId;
import org.shardmend.audit.Verification;
import org.shardmend.checkpoint.layout.Layout;
import org.shardmend.job.files.CheckpointAccess;

/**
 * What all audit rows of a run have in common, and where its files are staged.
 *
 * @param staging a directory of this run alone, where tasks write files
 * @param run the run
 * @param checkpoint where the source is
 * @param layout the source's layout
 * @param digestAlgorithm of the tensors' digests
 * @param verified how far each written tensor has been checked when the rows count
 */
public record AuditContext(
    CheckpointAccess staging,
    RunId run,
    String checkpoint,
    Layout layout,
    String digestAlgorithm,
    Verification verified)
    implements Serializable {

  /** Where an attempt writes its rows of tensors. */
  public String tensorsPath(int group, long attempt) {
    return staging.path(String.format(Locale.ROOT, "tensors-%d-%d.parquet", group, attempt));
  }
}
