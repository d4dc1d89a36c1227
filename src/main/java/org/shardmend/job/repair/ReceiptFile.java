package org.shardmend.job.repair;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.shardmend.checkpoint.UnitId;
import org.shardmend.plan.Action;
import org.shardmend.safetensors.Shape;
import org.shardmend.storage.Store;
import org.shardmend.storage.protocol.SmallFiles;
import org.shardmend.storage.publish.Staging;

/**
 * One shard's {@link TensorReceipt}s at rest: gzipped JSON, an array a tensor. It lies beside the
 * shard until the audit is written, so that a run that continues another one's work can account for
 * it.
 */
final class ReceiptFile {
  private static final int MAX_BYTES = 1 << 30;
  private static final JsonFactory JSON =
      new JsonFactoryBuilder()
          .streamReadConstraints(
              StreamReadConstraints.builder().maxStringLength(Integer.MAX_VALUE).build())
          .build();

  private ReceiptFile() {}

  /** Where the receipts of one attempt at a shard are. */
  static String path(Staging staging, int number, long attempt) {
    return String.format(Locale.ROOT, "%s/receipts/%d-%d.tensors", staging.path(), number, attempt);
  }

  static void write(Store store, String path, List<TensorReceipt> receipts) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (JsonGenerator json = JSON.createGenerator(new GZIPOutputStream(bytes))) {
      json.writeStartArray();
      for (TensorReceipt receipt : receipts) {
        write(receipt, json);
      }
      json.writeEndArray();
    }
    SmallFiles.create(store, path, bytes.toByteArray());
  }

  private static void write(TensorReceipt receipt, JsonGenerator json) throws IOException {
    json.writeStartArray();
    json.writeNumber(receipt.unit().pp());
    json.writeNumber(receipt.unit().tp());
    json.writeString(receipt.name());
    json.writeString(receipt.target());
    json.writeString(receipt.action().name());
    json.writeString(receipt.rule());
    json.writeString(receipt.reason());
    json.writeString(receipt.dtype());
    long[] shape = receipt.shape().toArray();
    json.writeArray(shape, 0, shape.length);
    json.writeNumber(receipt.sourceBegin());
    json.writeNumber(receipt.targetBegin());
    json.writeNumber(receipt.bytes());
    json.writeString(receipt.storedKey());
    json.writeString(receipt.digest());
    json.writeEndArray();
  }

  static List<TensorReceipt> read(Store store, String path) throws IOException {
    List<TensorReceipt> receipts = new ArrayList<>();
    byte[] bytes = SmallFiles.read(store, path, MAX_BYTES);
    try (InputStream in = new GZIPInputStream(new ByteArrayInputStream(bytes));
        JsonParser json = JSON.createParser(in)) {
      json.nextToken();
      while (json.nextToken() == JsonToken.START_ARRAY) {
        receipts.add(readOne(json));
      }
    }
    return receipts;
  }

  private static TensorReceipt readOne(JsonParser json) throws IOException {
    UnitId unit = new UnitId(json.nextIntValue(UnitId.ABSENT), json.nextIntValue(UnitId.ABSENT));
    String name = json.nextTextValue();
    String target = json.nextTextValue();
    Action action = Action.valueOf(json.nextTextValue());
    String rule = json.nextTextValue();
    String reason = json.nextTextValue();
    String dtype = json.nextTextValue();
    Shape shape = readShape(json);
    TensorReceipt receipt =
        new TensorReceipt(
            unit,
            name,
            target,
            action,
            rule,
            reason,
            dtype,
            shape,
            json.nextLongValue(-1),
            json.nextLongValue(-1),
            json.nextLongValue(-1),
            json.nextTextValue(),
            json.nextTextValue());
    json.nextToken();
    return receipt;
  }

  private static Shape readShape(JsonParser json) throws IOException {
    List<Long> dimensions = new ArrayList<>();
    json.nextToken();
    while (json.nextToken() != JsonToken.END_ARRAY) {
      dimensions.add(json.getLongValue());
    }
    return Shape.of(dimensions.stream().mapToLong(Long::longValue).toArray());
  }
}
