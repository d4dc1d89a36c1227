package org.shardmend.audit;

import java.util.List;
import org.apache.parquet.io.api.RecordConsumer;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.Type;
import org.apache.parquet.schema.Types;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/**
 * A row of columns: a table's own rows, and structures inside of them.
 *
 * @param columns the columns, in order
 */
record StructuredType<R>(List<Column<R, ?>> columns) implements ColumnType<R> {

  @Override
  public StructType spark() {
    return DataTypes.createStructType(
        columns.stream().map(Column::spark).toArray(StructField[]::new));
  }

  @Override
  public Type parquet(Type.Repetition repetition, String name) {
    return Types.buildGroup(repetition).addFields(fields()).named(name);
  }

  /** The schema of a file of such rows. */
  MessageType parquetFile(String name) {
    return Types.buildMessage().addFields(fields()).named(name);
  }

  private Type[] fields() {
    return columns.stream().map(Column::parquet).toArray(Type[]::new);
  }

  @Override
  public void write(RecordConsumer out, R row) {
    out.startGroup();
    writeColumns(out, row);
    out.endGroup();
  }

  /** Writes a row of a file. */
  void writeToFile(RecordConsumer out, R row) {
    out.startMessage();
    writeColumns(out, row);
    out.endMessage();
  }

  private void writeColumns(RecordConsumer out, R row) {
    for (int index = 0; index < columns.size(); index++) {
      columns.get(index).write(out, index, row);
    }
  }
}
