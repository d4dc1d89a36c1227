package org.shardmend.job.repair;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.shardmend.job.audit.AuditPlaces;
import org.shardmend.job.files.CheckpointAccess;
import org.shardmend.job.files.Locations;
import org.shardmend.job.spark.JobException;
import org.shardmend.job.spark.SparkJob;
import org.shardmend.storage.FileStatus;
import org.shardmend.storage.Location;
import org.shardmend.storage.Store;
import org.shardmend.storage.Stores;

/** Whether a repair's output, and its audit, may be where the user wants them. */
final class OutputPlaces {
  /** What Python's {@code glob}, with which engines look for shards, takes for a pattern. */
  private static final Pattern GLOB = Pattern.compile("[\\[\\]*?]");

  private OutputPlaces() {}

  /**
   * Requires that source, output and audit are apart, by name and behind symbolic links, and each
   * can be there. Nothing is written.
   *
   * @param store the output's
   * @throws JobException USAGE otherwise
   */
  static void require(SparkJob job, RepairRequest request, Location output, Store store)
      throws JobException, IOException {
    requireNoGlob(output);
    if (!store.traits().holdsResults()) {
      throw JobException.usage(
          "bad-output",
          "The output %s is on HDFS by a client that can't sync what it writes; name the same place by hdfs:"
              .formatted(output));
    }
    Location source = request.plan().checkpoint();
    try (Store sourceStore = new CheckpointAccess(source, job.hadoop()).open()) {
      if (sourceStore.stat(source.path()).isEmpty()) {
        throw Locations.missing(source);
      }
      Location realSource = real(sourceStore, source);
      Location realOutput = placeOf("bad-output", store, output);
      requireApart(source, realSource, output, realOutput);
      Optional<Location> audit = request.audit();
      if (audit.isPresent()) {
        try (Store auditStore = Stores.open(audit.get(), job.hadoop())) {
          Location realAudit = placeOf("bad-audit", auditStore, audit.get());
          requireAuditApart(audit.get(), realAudit, realSource, realOutput);
        }
      }
    }
  }

  private static void requireNoGlob(Location output) throws JobException {
    if (output.path().equals("/")) {
      throw JobException.usage("bad-output", "The root of a file system can't be an output");
    }
    Matcher glob = GLOB.matcher(output.path());
    if (glob.find()) {
      throw JobException.usage(
          "bad-output",
          "The output %s has a '%s' in its path: engines look for shards by a pattern that begins with the whole path, and would find none there. Choose a path without [, ], * and ?"
              .formatted(output, glob.group()));
    }
  }

  private static void requireApart(
      Location source, Location realSource, Location output, Location realOutput)
      throws JobException {
    if (realSource.equals(realOutput)) {
      throw JobException.usage(
          "output-is-input",
          "The output is the checkpoint itself, %s; to repair it in its place, say --in-place"
              .formatted(source));
    }
    if (realSource.contains(realOutput)) {
      throw JobException.usage(
          "output-inside-input",
          "The output %s lies inside the checkpoint %s; choose a place outside of it"
              .formatted(output, source));
    }
    if (realOutput.contains(realSource)) {
      throw JobException.usage(
          "input-inside-output",
          "The checkpoint %s lies inside the output %s; choose another place"
              .formatted(source, output));
    }
  }

  /** The tables of an audit are read by directory: nothing else may be among them. */
  private static void requireAuditApart(
      Location audit, Location realAudit, Location realSource, Location realOutput)
      throws JobException {
    if (realSource.contains(realAudit)) {
      throw JobException.usage(
          "bad-audit",
          "The audit %s lies inside the checkpoint, which a repair with --output only reads; choose a place outside of it"
              .formatted(audit));
    }
    if (realOutput.contains(realAudit)) {
      throw JobException.usage(
          "bad-audit",
          "The audit %s lies in the output, whose name must be free until all is there; leave --audit out, and it is below the output at %s"
              .formatted(audit, AuditPlaces.INSIDE));
    }
    if (realAudit.contains(realOutput)) {
      throw JobException.usage(
          "bad-audit",
          "The output lies inside the audit %s, where its files would be taken for tables; choose another place for one of them"
              .formatted(audit));
    }
  }

  /** Where something is going to be, behind all links, if a directory can be made there. */
  private static Location placeOf(String code, Store store, Location location)
      throws JobException, IOException {
    Location real;
    try {
      real = real(store, location);
    } catch (NoSuchFileException nowhere) {
      throw JobException.usage(
          code,
          "%s can't be made: a link in its path leads nowhere, or what is above it is no directory. Choose another place"
              .formatted(location),
          nowhere);
    }
    requireDirectoryAbove(code, store, real);
    return real;
  }

  private static void requireDirectoryAbove(String code, Store store, Location real)
      throws JobException, IOException {
    for (Location above = real; !above.path().equals("/"); ) {
      above = above.parent();
      Optional<FileStatus> status = store.stat(above.path());
      if (status.isPresent()) {
        if (status.get().isFile()) {
          throw JobException.usage(
              code,
              "%s can't be made: %s is a file, not a directory. Choose another place"
                  .formatted(real, above));
        }
        return;
      }
    }
  }

  private static Location real(Store store, Location location) throws IOException {
    return new Location(location.scheme(), location.authority(), store.realPath(location.path()));
  }
}
