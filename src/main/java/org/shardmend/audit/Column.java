package org.shardmend.audit;

import java.util.Optional;
import java.util.function.Function;
import org.apache.parquet.io.api.RecordConsumer;
import org.apache.parquet.schema.Type;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.MetadataBuilder;
import org.apache.spark.sql.types.StructField;

/**
 * One column of a table: everything that is to be known of it, so that schema, writer and
 * documentation can't drift apart.
 *
 * @param name as in SQL
 * @param type its type
 * @param required whether every row has a value; else it is NULL where {@code value} gives nothing
 * @param comment what it says, and in which unit
 * @param value the row's value
 */
record Column<R, V>(
    String name,
    ColumnType<V> type,
    boolean required,
    String comment,
    Function<R, Optional<V>> value) {

  /** A column with a value in every row. */
  static <R, V> Column<R, V> required(
      String name, ColumnType<V> type, String comment, Function<R, V> value) {
    return new Column<>(name, type, true, comment, value.andThen(Optional::of));
  }

  /** A column that is NULL where the row says nothing. */
  static <R, V> Column<R, V> optional(
      String name, ColumnType<V> type, String comment, Function<R, Optional<V>> value) {
    return new Column<>(name, type, false, comment, value);
  }

  /** A text that is NULL where the row has an empty one. */
  static <R> Column<R, String> optionalText(
      String name, String comment, Function<R, String> value) {
    return optional(
        name,
        ScalarType.TEXT,
        comment,
        value.andThen(text -> text.isEmpty() ? Optional.empty() : Optional.of(text)));
  }

  StructField spark() {
    return DataTypes.createStructField(
        name, type.spark(), !required, new MetadataBuilder().putString("comment", comment).build());
  }

  Type parquet() {
    return type.parquet(required ? Type.Repetition.REQUIRED : Type.Repetition.OPTIONAL, name);
  }

  void write(RecordConsumer out, int index, R row) {
    value
        .apply(row)
        .ifPresent(
            present -> {
              out.startField(name, index);
              type.write(out, present);
              out.endField(name, index);
            });
  }
}
