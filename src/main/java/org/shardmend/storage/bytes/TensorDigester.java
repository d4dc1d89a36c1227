package org.shardmend.storage.bytes;

import java.io.IOException;
import java.util.List;
import org.shardmend.safetensors.Header;
import org.shardmend.safetensors.TensorEntry;
import org.shardmend.storage.RangeReader;
import org.shardmend.storage.SourceChangedException;

/**
 * Digests what a shard holds, by reading it. One digester serves one thread, for any number of
 * shards.
 */
public final class TensorDigester {
  private final DigestAlgorithm algorithm;
  private final PieceReader pieces;

  /** A digester that keeps to {@code pace}. */
  public TensorDigester(DigestAlgorithm algorithm, Pace pace) {
    this.algorithm = algorithm;
    this.pieces = new PieceReader(pace);
  }

  /**
   * The digests of the header's bytes as they lie in the file, and of all tensors.
   *
   * @param header as read from {@code shard}
   * @throws SourceChangedException when the file isn't what it was when it was opened
   * @throws IOException when it can't be read
   */
  public ShardDigests digest(RangeReader shard, Header header) throws IOException {
    PartDigests ofHeader = new PartDigests(algorithm, header.dataBegin());
    pieces.read(shard, 0, header.dataBegin(), ofHeader::accept);
    List<String> ofTensors = digest(shard, header.dataBegin(), header.inOffsetOrder());
    return new ShardDigests(algorithm, ofHeader.finish().get(0), ofTensors);
  }

  /**
   * The digests of some of a shard's tensors; nothing else is read.
   *
   * @param dataBegin where the data section begins, in bytes from the start of the file
   * @param tensors in offset order
   * @return the digests, in the same order
   * @throws IOException as {@link #digest(RangeReader, Header)}
   */
  public List<String> digest(RangeReader shard, long dataBegin, List<TensorEntry> tensors)
      throws IOException {
    PartDigests digests = PartDigests.ofTensors(algorithm, tensors);
    for (TensorEntry tensor : tensors) {
      pieces.read(shard, dataBegin + tensor.begin(), dataBegin + tensor.end(), digests::accept);
    }
    shard.requireUnchanged();
    return digests.finish();
  }

  /**
   * The digests of the parts that take turns in a range, in runs of one length: of the first run of
   * each, then the second of each, and so on.
   *
   * @param begin the range's first byte, in bytes from the start of the file
   * @param end one past its last byte; a whole number of rounds behind {@code begin}
   * @param parts how many take turns
   * @param runBytes length of a run, in bytes
   * @throws IOException as {@link #digest(RangeReader, Header)}
   */
  public List<String> digestParts(RangeReader shard, long begin, long end, int parts, long runBytes)
      throws IOException {
    PartsInTurn digests = new PartsInTurn(algorithm, parts, runBytes);
    pieces.read(shard, begin, end, digests::accept);
    shard.requireUnchanged();
    return digests.finish();
  }
}
