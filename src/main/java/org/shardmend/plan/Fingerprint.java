package org.shardmend.plan;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The identity of a plan: SHA-256 over a canonical JSON of the layout, the shards' relative names,
 * sizes and header digests, the digests of the side files that carry names, the rules and the
 * comparison results. No absolute path and no time goes in, so a copy of the checkpoint elsewhere
 * has the same fingerprint.
 */
final class Fingerprint {
  private static final JsonFactory JSON = new JsonFactory();

  private Fingerprint() {}

  static String of(
      String layout,
      List<ShardPlan> shards,
      Map<String, String> sideFileDigests,
      String rulesJson,
      List<PackedComparisons> comparisons,
      ComparisonResults results) {
    MessageDigest sha256 = sha256();
    try (JsonGenerator json =
        JSON.createGenerator(new DigestOutputStream(OutputStream.nullOutputStream(), sha256))) {
      json.writeStartObject();
      json.writeStringField("layout", layout);
      json.writeArrayFieldStart("shards");
      for (ShardPlan shard : shards) {
        json.writeStartArray();
        json.writeString(shard.name());
        json.writeNumber(shard.shard().bytes());
        json.writeString(shard.headerDigest());
        json.writeEndArray();
      }
      json.writeEndArray();
      json.writeObjectFieldStart("side_files");
      for (Map.Entry<String, String> side : new TreeMap<>(sideFileDigests).entrySet()) {
        json.writeStringField(side.getKey(), side.getValue());
      }
      json.writeEndObject();
      json.writeFieldName("rules");
      json.writeRawValue(rulesJson);
      json.writeArrayFieldStart("comparisons");
      writeComparisons(comparisons, results, json);
      json.writeEndArray();
      json.writeEndObject();
    } catch (IOException e) {
      throw new UncheckedIOException("A digest refused to be written", e);
    }
    return HexFormat.of().formatHex(sha256.digest());
  }

  /** One by one: a checkpoint may have millions, of which few differ. */
  private static void writeComparisons(
      List<PackedComparisons> comparisons, ComparisonResults results, JsonGenerator json)
      throws IOException {
    Iterator<ComparisonResult> different = results.different().iterator();
    Optional<ComparisonResult> next = next(different);
    for (PackedComparisons ofUnit : comparisons) {
      Iterator<Comparison> each = ofUnit.stream().iterator();
      while (each.hasNext()) {
        Comparison comparison = each.next();
        if (next.isPresent() && next.get().isOf(comparison)) {
          write(next.get(), json);
          next = next(different);
        } else {
          write(ComparisonResult.equal(comparison), json);
        }
      }
    }
    if (next.isPresent()) {
      throw new IllegalArgumentException(
          "There is no such comparison, or it is not in this order: " + next.get());
    }
  }

  private static Optional<ComparisonResult> next(Iterator<ComparisonResult> results) {
    return results.hasNext() ? Optional.of(results.next()) : Optional.empty();
  }

  private static void write(ComparisonResult result, JsonGenerator json) throws IOException {
    json.writeStartArray();
    json.writeNumber(result.unit().pp());
    json.writeNumber(result.unit().tp());
    json.writeString(result.target());
    json.writeNumber(result.firstDifference());
    json.writeString(result.differingTensor());
    json.writeEndArray();
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every Java has SHA-256", e);
    }
  }
}
