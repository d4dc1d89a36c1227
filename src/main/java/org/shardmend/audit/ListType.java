package org.shardmend.audit;

import java.util.List;
import org.apache.parquet.io.api.RecordConsumer;
import org.apache.parquet.schema.Type;
import org.apache.parquet.schema.Types;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;

/**
 * A column of lists, in the three-level form of the Parquet format's {@code LogicalTypes} page.
 *
 * @param element the type of each element
 */
record ListType<V>(ColumnType<V> element) implements ColumnType<List<V>> {
  private static final String REPEATED = "list";
  private static final String ELEMENT = "element";

  @Override
  public DataType spark() {
    return DataTypes.createArrayType(element.spark(), false);
  }

  @Override
  public Type parquet(Type.Repetition repetition, String name) {
    return Types.list(repetition)
        .element(element.parquet(Type.Repetition.REQUIRED, ELEMENT))
        .named(name);
  }

  @Override
  public void write(RecordConsumer out, List<V> values) {
    out.startGroup();
    if (!values.isEmpty()) {
      out.startField(REPEATED, 0);
      for (V value : values) {
        out.startGroup();
        out.startField(ELEMENT, 0);
        element.write(out, value);
        out.endField(ELEMENT, 0);
        out.endGroup();
      }
      out.endField(REPEATED, 0);
    }
    out.endGroup();
  }
}
