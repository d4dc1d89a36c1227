package org.shardmend.audit;

import org.apache.parquet.io.api.RecordConsumer;
import org.apache.parquet.schema.Type;
import org.apache.spark.sql.types.DataType;

/**
 * The type of a column: what Spark reads it as, what Parquet stores it as, and how a value is
 * written.
 *
 * @param <V> the values, never {@code null}
 */
sealed interface ColumnType<V> permits ScalarType, ListType, MapType, StructuredType {
  /** The type that Spark reads. */
  DataType spark();

  /** The type that Parquet stores. */
  Type parquet(Type.Repetition repetition, String name);

  /** Writes one value; the caller has opened the field that it belongs to. */
  void write(RecordConsumer out, V value);
}
