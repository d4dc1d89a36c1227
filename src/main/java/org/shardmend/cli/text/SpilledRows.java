package org.shardmend.cli.text;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.shardmend.job.files.NamelessFile;

/**
 * The rows of a document that come before it is written, and are more than the heap has room for.
 * They go to a temporary file once they are many; it has no name any more when it is in use and so
 * is gone with the process.
 */
public final class SpilledRows {
  /** So many bytes of rows stay in the heap. */
  public static final int DEFAULT_HEAP_BYTES = 1 << 20;

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final ObjectReader ROWS = JSON.readerFor(JsonNode.class);

  private final int heapBytes;
  private final ByteArrayOutputStream last = new ByteArrayOutputStream();
  private FileChannel file;
  private long rows;

  public SpilledRows(int heapBytes) {
    this.heapBytes = heapBytes;
  }

  /**
   * Adds a row.
   *
   * @throws UncheckedIOException when the file can't be written
   */
  public void add(ObjectNode row) {
    try {
      last.writeBytes(JSON.writeValueAsBytes(row));
      last.write('\n');
      if (last.size() > heapBytes) {
        spill();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    rows++;
  }

  /** How many there are. */
  long size() {
    return rows;
  }

  /** Bytes in the file. */
  long spilledBytes() throws IOException {
    return file == null ? 0 : file.size();
  }

  /** The rows as a member of a document; those that are added later are in it, too. */
  public StreamedList list() {
    return new StreamedList(this::stream);
  }

  private void spill() throws IOException {
    if (file == null) {
      file = NamelessFile.open("shardmend-rows-");
    }
    ByteBuffer buffer = ByteBuffer.wrap(last.toByteArray());
    for (long at = file.size(); buffer.hasRemaining(); ) {
      at += file.write(buffer, at);
    }
    last.reset();
  }

  private Stream<JsonNode> stream() {
    try {
      InputStream tail = new ByteArrayInputStream(last.toByteArray());
      InputStream all = tail;
      if (file != null) {
        file.position(0);
        all = new SequenceInputStream(new LeftOpen(Channels.newInputStream(file)), tail);
      }
      MappingIterator<JsonNode> each = ROWS.readValues(all);
      return StreamSupport.stream(
          Spliterators.spliteratorUnknownSize(each, Spliterator.ORDERED), false);
    } catch (IOException e) {
      throw new UncheckedIOException(
          "The rows can't be read back from the temporary directory (java.io.tmpdir)", e);
    }
  }

  /** Who reads to the end closes, and with the stream the file; a document may be written again. */
  private static final class LeftOpen extends BufferedInputStream {
    private static final int BUFFER_BYTES = 1 << 16;

    LeftOpen(InputStream in) {
      super(in, BUFFER_BYTES);
    }

    @Override
    public void close() {}
  }
}
