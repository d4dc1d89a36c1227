package org.shardmend.cli.text;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.shardmend.cli.AnsweringCommand;

class SpilledRowsTest {
  private static final int HEAP_BYTES = 1000;

  private final SpilledRows rows = new SpilledRows(HEAP_BYTES);

  private static ObjectNode row(int number) {
    ObjectNode row = AnsweringCommand.object();
    row.put("tensor", "model.layers.%d.é\n\"x\"".formatted(number)).put("begin", number);
    row.put("end", Long.MAX_VALUE - number).put("seconds", number / 7.0).putNull("target");
    row.putArray("list").addObject().put("a", 1);
    return row;
  }

  private static JsonNode written(ObjectNode document) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    JsonText.write(document, out);
    return new ObjectMapper().readTree(out.toByteArray());
  }

  private static ObjectNode expected(int count) {
    ObjectNode document = AnsweringCommand.object();
    for (int i = 0; i < count; i++) {
      document.withArray("rows").add(row(i));
    }
    return document;
  }

  @Test
  void manyRowsAreInAFileAndInTheDocumentHoweverOftenItIsWritten() throws IOException {
    ObjectNode document = AnsweringCommand.object();
    document.putPOJO("rows", rows.list());
    for (int i = 0; i < 500; i++) {
      rows.add(row(i));
    }

    assertThat(rows.size()).isEqualTo(500);
    assertThat(rows.spilledBytes()).as("in the file").isGreaterThan(500 * 80);
    assertThat(written(document)).as("on standard output").isEqualTo(written(expected(500)));
    assertThat(written(document)).as("in the result").isEqualTo(written(expected(500)));
  }

  @Test
  void fewRowsNeedNoFile() throws IOException {
    rows.add(row(0));
    ObjectNode document = AnsweringCommand.object();
    document.putPOJO("rows", rows.list());

    assertThat(rows.spilledBytes()).isZero();
    assertThat(written(document)).isEqualTo(written(expected(1)));
  }

  @Test
  void noRowsAreAnEmptyList() throws IOException {
    ObjectNode document = AnsweringCommand.object();
    document.putPOJO("rows", rows.list());

    assertThat(written(document).path("rows").isArray()).isTrue();
    assertThat(written(document).path("rows")).isEmpty();
  }
}
