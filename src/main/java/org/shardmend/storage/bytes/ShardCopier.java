package org.shardmend.storage.bytes;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.shardmend.safetensors.Header;
import org.shardmend.safetensors.HeaderEdit;
import org.shardmend.safetensors.Span;
import org.shardmend.storage.NoSpaceException;
import org.shardmend.storage.RangeReader;
import org.shardmend.storage.ShardWriter;
import org.shardmend.storage.SourceChangedException;

/**
 * Writes a repaired shard: the edited header, then the bytes that the edit keeps, in one pass and
 * with two small buffers. One copier serves one thread, for any number of shards.
 *
 * <p>Reading and writing take turns: with as many tasks as cores, a thread of its own for each only
 * moves the same work around.
 */
public final class ShardCopier {
  private final PieceReader pieces;

  /** A copier that keeps to {@code pace}; what it reads is counted, not what it writes. */
  public ShardCopier(Pace pace) {
    this.pieces = new PieceReader(pace);
  }

  /**
   * Copies without looking at the bytes: between mounted files the kernel does it.
   *
   * @param source the shard
   * @param sourceHeader its header, as read from it
   * @param edit the header's edit
   * @param header the 8 + N bytes of {@code edit.target()} to write
   * @param target empty; the caller syncs and completes it
   * @throws SourceChangedException when the source isn't what it was when it was opened; the target
   *     is worthless then
   * @throws NoSpaceException when the target's store is full
   * @throws IOException when reading or writing fails
   */
  public void copy(
      RangeReader source, Header sourceHeader, HeaderEdit edit, byte[] header, ShardWriter target)
      throws IOException {
    target.write(ByteBuffer.wrap(header));
    long targetDataBegin = target.position();
    for (Span span : edit.spans()) {
      requireNext(span, targetDataBegin, target);
      pieces.copy(source, begin(sourceHeader, span), end(sourceHeader, span), target);
    }
    finish(source, edit.target(), targetDataBegin, target);
  }

  /**
   * Copies, and digests each tensor in passing.
   *
   * @return the digests of the target's header and tensors
   * @throws IOException as {@link #copy}
   */
  public ShardDigests copyAndDigest(
      RangeReader source,
      Header sourceHeader,
      HeaderEdit edit,
      byte[] header,
      ShardWriter target,
      DigestAlgorithm algorithm)
      throws IOException {
    target.write(ByteBuffer.wrap(header));
    PartDigests digests = PartDigests.ofTensors(algorithm, edit.target().inOffsetOrder());
    for (Span span : edit.spans()) {
      requireNext(span, header.length, target);
      pieces.read(
          source,
          begin(sourceHeader, span),
          end(sourceHeader, span),
          piece -> {
            digests.accept(piece);
            target.write(piece);
          });
    }
    finish(source, edit.target(), header.length, target);
    return new ShardDigests(algorithm, algorithm.digest(header), digests.finish());
  }

  private static long begin(Header header, Span span) {
    return header.dataBegin() + span.sourceBegin();
  }

  private static long end(Header header, Span span) {
    return header.dataBegin() + span.sourceEnd();
  }

  private static void requireNext(Span span, long dataBegin, ShardWriter target) {
    if (dataBegin + span.targetBegin() != target.position()) {
      throw new IllegalArgumentException(
          "%s: the next bytes belong at %d of the data section, but it has %d so far."
              .formatted(target.location(), span.targetBegin(), target.position() - dataBegin));
    }
  }

  private static void finish(
      RangeReader source, Header targetHeader, long targetDataBegin, ShardWriter target)
      throws IOException {
    if (target.position() != targetDataBegin + targetHeader.dataBytes()) {
      throw new IllegalArgumentException(
          "%s: the header says %d bytes of data, but the edit gives %d."
              .formatted(
                  target.location(),
                  targetHeader.dataBytes(),
                  target.position() - targetDataBegin));
    }
    source.requireUnchanged();
  }
}
