package org.shardmend.job.repair;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongConsumer;
import org.shardmend.job.files.SourceHeader;
import org.shardmend.safetensors.HeaderEdit;
import org.shardmend.safetensors.TensorEntry;
import org.shardmend.storage.RangeReader;
import org.shardmend.storage.ShardWriter;
import org.shardmend.storage.bytes.DigestAlgorithm;
import org.shardmend.storage.bytes.ShardCopier;
import org.shardmend.storage.bytes.ShardDigests;
import org.shardmend.storage.publish.ManifestShard;

/**
 * A shard that was built anew: a new header, then the kept data.
 *
 * @param bytes its length
 * @param headerBytes its 8 + N
 * @param headerDigest SHA-256 of the header, in hexadecimal
 * @param dataDigest the shard's digest; {@link ManifestShard#NOT_READ} where none was asked for
 * @param digests of each kept tensor's bytes, by its name in the target
 * @param bytesRead bytes read from the source
 */
record ShardCopy(
    long bytes,
    long headerBytes,
    String headerDigest,
    String dataDigest,
    Map<String, String> digests,
    long bytesRead) {

  /**
   * Writes the shard, durably where the store can, and completes it.
   *
   * @param source the shard as it was
   * @param before its header
   * @param edit what changes in it
   * @param header the 8 + N bytes to write: the edit's target, or the source's own where nothing
   *     changes
   * @param writer of a new file; the caller closes it
   */
  static ShardCopy write(
      RewriteSettings settings,
      RangeReader source,
      SourceHeader before,
      HeaderEdit edit,
      byte[] header,
      ShardWriter writer,
      LongConsumer meter)
      throws IOException {
    ShardCopier copier = new ShardCopier(settings.pace(meter));
    Optional<DigestAlgorithm> algorithm = DigestAlgorithm.ofLabel(settings.digest());
    Optional<ShardDigests> digests = Optional.empty();
    if (algorithm.isPresent()) {
      digests =
          Optional.of(
              copier.copyAndDigest(source, before.header(), edit, header, writer, algorithm.get()));
    } else {
      copier.copy(source, before.header(), edit, header, writer);
    }
    writer.sync();
    writer.complete();
    return new ShardCopy(
        writer.position(),
        header.length,
        SourceHeader.digest(header),
        digests.map(ShardDigests::shard).orElse(ManifestShard.NOT_READ),
        digests.map(d -> byName(edit, d)).orElse(Map.of()),
        before.bytes().length + edit.target().dataBytes());
  }

  /** The same, with nothing said of its data. */
  ShardCopy withoutDigests() {
    return new ShardCopy(
        bytes, headerBytes, headerDigest, ManifestShard.NOT_READ, Map.of(), bytesRead);
  }

  private static Map<String, String> byName(HeaderEdit edit, ShardDigests digests) {
    Map<String, String> byName = new HashMap<>();
    List<TensorEntry> tensors = edit.target().inOffsetOrder();
    for (int i = 0; i < tensors.size(); i++) {
      byName.put(tensors.get(i).name(), digests.tensors().get(i));
    }
    return byName;
  }
}
