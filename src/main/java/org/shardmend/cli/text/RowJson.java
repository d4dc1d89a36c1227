package org.shardmend.cli.text;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.Row;

/** An audit row as a member of a document, by column. */
public final class RowJson {
  private RowJson() {}

  public static ObjectNode of(Row row) {
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    String[] columns = row.schema().fieldNames();
    for (int i = 0; i < columns.length; i++) {
      put(node, columns[i], row, i);
    }
    return node;
  }

  private static void put(ObjectNode node, String column, Row row, int index) {
    Object value = row.get(index);
    if (value == null) {
      node.putNull(column);
    } else if (value instanceof Integer number) {
      node.put(column, number);
    } else if (value instanceof Long number) {
      node.put(column, number);
    } else if (value instanceof Double number) {
      node.put(column, number);
    } else if (value instanceof java.sql.Timestamp time) {
      node.put(column, time.toInstant().toString());
    } else if (row.schema().fields()[index].dataType()
        instanceof org.apache.spark.sql.types.ArrayType) {
      add(node.putArray(column), row.getList(index));
    } else if (row.schema().fields()[index].dataType()
        instanceof org.apache.spark.sql.types.MapType) {
      Map<String, Object> map = row.getJavaMap(index);
      ObjectNode members = node.putObject(column);
      map.forEach((key, member) -> members.put(key, String.valueOf(member)));
    } else {
      node.put(column, String.valueOf(value));
    }
  }

  private static void add(ArrayNode array, List<?> values) {
    for (Object value : values) {
      if (value instanceof Long number) {
        array.add(number);
      } else if (value instanceof Row row) {
        array.add(of(row));
      } else {
        array.add(String.valueOf(value));
      }
    }
  }
}
