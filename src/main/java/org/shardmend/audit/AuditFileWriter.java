package org.shardmend.audit;

import java.io.Closeable;
import java.io.IOException;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.parquet.hadoop.ParquetWriter;
import org.apache.parquet.hadoop.api.WriteSupport;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.apache.parquet.io.OutputFile;
import org.apache.parquet.io.api.RecordConsumer;
import org.shardmend.storage.ShardWriter;

/**
 * Writes rows of one table into one Parquet file, without Spark: a task writes a file of its own,
 * the driver appends the files of the tasks that won. Like the {@link ShardWriter} under it, a file
 * counts only after {@link #complete()}; a writer that is closed without it leaves nothing behind.
 *
 * <p>Files are compressed with gzip, the one codec of the format that needs nothing but the JDK:
 * Snappy and Zstandard unpack native libraries, which fails on nodes with another C library or a
 * temporary directory that forbids execution. Memory is bounded: a row group is written out every 8
 * MiB.
 *
 * @param <R> the rows
 */
public final class AuditFileWriter<R> implements Closeable {
  /** Bytes of encoded rows that are held in memory before they are written. */
  private static final long ROW_GROUP_BYTES = 8L << 20;

  private static final int PAGE_BYTES = 256 << 10;

  private final ShardWriter file;
  private final ParquetWriter<R> parquet;
  private long rows;

  private AuditFileWriter(ShardWriter file, ParquetWriter<R> parquet) {
    this.file = file;
    this.parquet = parquet;
  }

  /**
   * Starts a file.
   *
   * @param file a new file, which this writer completes or aborts from now on
   * @throws IOException if storage fails; the file is aborted then
   */
  public static <R> AuditFileWriter<R> open(AuditTable<R> table, ShardWriter file)
      throws IOException {
    try {
      return new AuditFileWriter<>(
          file, new Builder<>(table, new ShardWriterOutputFile(file)).build());
    } catch (IOException e) {
      file.close();
      throw e;
    }
  }

  /**
   * Adds a row.
   *
   * @throws IOException if storage fails
   */
  public void write(R row) throws IOException {
    parquet.write(row);
    rows++;
  }

  /** Rows written so far. */
  public long rows() {
    return rows;
  }

  /**
   * Ends the file, durably where the store can.
   *
   * @return the file's size, in bytes
   * @throws IOException if storage fails; the file can then only be closed
   */
  public long complete() throws IOException {
    parquet.close();
    file.sync();
    file.complete();
    return file.position();
  }

  /** Gives the file up, unless it was completed. */
  @Override
  public void close() throws IOException {
    file.close();
  }

  private static final class Builder<R> extends ParquetWriter.Builder<R, Builder<R>> {
    private final AuditTable<R> table;

    Builder(AuditTable<R> table, OutputFile file) {
      super(file);
      this.table = table;
      // An empty configuration: what a cluster's site files say of Parquet is not for these files.
      withConf(new Configuration(false));
      withCompressionCodec(CompressionCodecName.GZIP);
      withRowGroupSize(ROW_GROUP_BYTES);
      withPageSize(PAGE_BYTES);
    }

    @Override
    protected Builder<R> self() {
      return this;
    }

    /** The form that Parquet deprecates is the only one that Spark 3.5 brings. */
    @Override
    @SuppressWarnings("deprecation")
    protected WriteSupport<R> getWriteSupport(Configuration conf) {
      return new RowWriteSupport<>(table);
    }
  }

  private static final class RowWriteSupport<R> extends WriteSupport<R> {
    private final AuditTable<R> table;
    private RecordConsumer out;

    RowWriteSupport(AuditTable<R> table) {
      this.table = table;
    }

    /** The form that Parquet deprecates is the only one that Spark 3.5 brings. */
    @Override
    @SuppressWarnings("deprecation")
    public WriteContext init(Configuration configuration) {
      return new WriteContext(table.fileSchema(), Map.of());
    }

    @Override
    public void prepareForWrite(RecordConsumer recordConsumer) {
      out = recordConsumer;
    }

    @Override
    public void write(R row) {
      table.write(out, row);
    }
  }
}
