package org.shardmend.audit;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.function.BiConsumer;
import org.apache.parquet.io.api.Binary;
import org.apache.parquet.io.api.RecordConsumer;
import org.apache.parquet.schema.LogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.TimeUnit;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;
import org.apache.parquet.schema.Type;
import org.apache.parquet.schema.Types;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;

/** A column of single values. */
final class ScalarType<V> implements ColumnType<V> {
  static final ScalarType<String> TEXT =
      new ScalarType<>(
          DataTypes.StringType,
          repetition ->
              Types.primitive(PrimitiveTypeName.BINARY, repetition)
                  .as(LogicalTypeAnnotation.stringType()),
          (out, text) -> out.addBinary(Binary.fromString(text)));

  static final ScalarType<Integer> INTEGER =
      new ScalarType<>(
          DataTypes.IntegerType,
          repetition -> Types.primitive(PrimitiveTypeName.INT32, repetition),
          RecordConsumer::addInteger);

  static final ScalarType<Long> LONG =
      new ScalarType<>(
          DataTypes.LongType,
          repetition -> Types.primitive(PrimitiveTypeName.INT64, repetition),
          RecordConsumer::addLong);

  static final ScalarType<Double> DOUBLE =
      new ScalarType<>(
          DataTypes.DoubleType,
          repetition -> Types.primitive(PrimitiveTypeName.DOUBLE, repetition),
          RecordConsumer::addDouble);

  /** An instant, in microseconds, as Spark's timestamps are. */
  static final ScalarType<Instant> TIMESTAMP =
      new ScalarType<>(
          DataTypes.TimestampType,
          repetition ->
              Types.primitive(PrimitiveTypeName.INT64, repetition)
                  .as(LogicalTypeAnnotation.timestampType(true, TimeUnit.MICROS)),
          (out, instant) -> out.addLong(ChronoUnit.MICROS.between(Instant.EPOCH, instant)));

  /** How Parquet stores a type, but for its name. */
  private interface Storage {
    Types.PrimitiveBuilder<? extends Type> of(Type.Repetition repetition);
  }

  private final DataType spark;
  private final Storage storage;
  private final BiConsumer<RecordConsumer, V> writer;

  private ScalarType(DataType spark, Storage storage, BiConsumer<RecordConsumer, V> writer) {
    this.spark = spark;
    this.storage = storage;
    this.writer = writer;
  }

  @Override
  public DataType spark() {
    return spark;
  }

  @Override
  public Type parquet(Type.Repetition repetition, String name) {
    return storage.of(repetition).named(name);
  }

  @Override
  public void write(RecordConsumer out, V value) {
    writer.accept(out, value);
  }
}
