package org.shardmend.audit;

import java.util.Map;
import org.apache.parquet.io.api.RecordConsumer;
import org.apache.parquet.schema.Type;
import org.apache.parquet.schema.Types;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;

/**
 * A column of maps, in the form of the Parquet format's {@code LogicalTypes} page.
 *
 * @param key the type of each key
 * @param value the type of each value
 */
record MapType<K, V>(ColumnType<K> key, ColumnType<V> value) implements ColumnType<Map<K, V>> {
  private static final String REPEATED = "key_value";
  private static final String KEY = "key";
  private static final String VALUE = "value";

  @Override
  public DataType spark() {
    return DataTypes.createMapType(key.spark(), value.spark(), false);
  }

  @Override
  public Type parquet(Type.Repetition repetition, String name) {
    return Types.map(repetition)
        .key(key.parquet(Type.Repetition.REQUIRED, KEY))
        .value(value.parquet(Type.Repetition.REQUIRED, VALUE))
        .named(name);
  }

  @Override
  public void write(RecordConsumer out, Map<K, V> values) {
    out.startGroup();
    if (!values.isEmpty()) {
      out.startField(REPEATED, 0);
      values.forEach((k, v) -> writeEntry(out, k, v));
      out.endField(REPEATED, 0);
    }
    out.endGroup();
  }

  private void writeEntry(RecordConsumer out, K k, V v) {
    out.startGroup();
    out.startField(KEY, 0);
    key.write(out, k);
    out.endField(KEY, 0);
    out.startField(VALUE, 1);
    value.write(out, v);
    out.endField(VALUE, 1);
    out.endGroup();
  }
}
