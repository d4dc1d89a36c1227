package org.shardmend.checkpoint.expected;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.shardmend.checkpoint.CheckpointException;
import org.shardmend.checkpoint.UnitId;
import org.shardmend.checkpoint.json.JsonCursor;
import org.shardmend.checkpoint.json.JsonFormatException;
import org.shardmend.checkpoint.json.JsonStyle;
import org.shardmend.safetensors.DisplayName;
import org.shardmend.safetensors.Shape;

/**
 * What the loaders of a model expect to find: names, types and shapes, rank by rank. The document
 * is {@code expected-state/1}.
 */
public final class ExpectedState implements Serializable {
  private static final long serialVersionUID = 1L;

  /** The document's format. */
  public static final String FORMAT = "expected-state/1";

  /**
   * The longest document that is read, in bytes: 1,024 ranks with 3,000 tensors have some 400 MB.
   */
  public static final int MAX_BYTES = 1 << 30;

  private static final int MAX_RANK = 1 << 20;
  private static final int MAX_DIMENSIONS = 64;
  private static final JsonStyle STYLE = new JsonStyle(1, true, true, "\n");

  private final List<ExpectedUnit> units;

  private ExpectedState(List<ExpectedUnit> units) {
    this.units = List.copyOf(units);
  }

  /**
   * The expectation of these units.
   *
   * @throws IllegalArgumentException if there are none, or two speak of the same tensor of a rank
   */
  public static ExpectedState of(List<ExpectedUnit> units) {
    String problem = problem(units);
    if (!problem.isEmpty()) {
      throw new IllegalArgumentException(problem);
    }
    return new ExpectedState(units);
  }

  /**
   * Reads a document.
   *
   * @param origin the file's name, for messages
   * @throws CheckpointException (usage) if it is not one, with the place in the file
   */
  public static ExpectedState read(byte[] json, String origin) throws CheckpointException {
    try {
      return JsonCursor.parse(json, cursor -> new Reader(cursor).document());
    } catch (JsonFormatException e) {
      throw CheckpointException.usage(
          "expected-state-malformed",
          origin
              + " is no expected state ("
              + FORMAT
              + "): "
              + e.getMessage()
              + ". Correct the file, or have the engine write it again.");
    }
  }

  /** The document. */
  public byte[] write() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (JsonGenerator json = STYLE.generator(bytes)) {
      json.writeStartObject();
      json.writeStringField("format", FORMAT);
      json.writeArrayFieldStart("units");
      for (ExpectedUnit unit : units) {
        write(json, unit);
      }
      json.writeEndArray();
      json.writeEndObject();
    } catch (IOException e) {
      throw new IllegalStateException("Memory cannot be written to.", e);
    }
    bytes.writeBytes(STYLE.ending().getBytes(StandardCharsets.UTF_8));
    return bytes.toByteArray();
  }

  /** All units, in the document's order. */
  public List<ExpectedUnit> units() {
    return units;
  }

  /** Of which ranks something is said, in the document's order. */
  public List<UnitId> ranks() {
    return units.stream().map(ExpectedUnit::ranks).toList();
  }

  /** What the loader of that unit expects, by name; empty when nothing is said about it. */
  public Optional<Map<String, ExpectedTensor>> forUnit(UnitId unit) {
    List<ExpectedUnit> speaking = units.stream().filter(u -> u.speaksOf(unit)).toList();
    if (speaking.isEmpty()) {
      return Optional.empty();
    }
    if (speaking.size() == 1) {
      return Optional.of(speaking.get(0).tensors());
    }
    Map<String, ExpectedTensor> tensors = new LinkedHashMap<>();
    speaking.forEach(part -> tensors.putAll(part.tensors()));
    return Optional.of(tensors);
  }

  /** Why these units are no expectation; empty when they are. */
  private static String problem(List<ExpectedUnit> units) {
    if (units.isEmpty()) {
      return "there are no units";
    }
    for (int i = 0; i < units.size(); i++) {
      ExpectedUnit unit = units.get(i);
      for (ExpectedUnit other : units.subList(i + 1, units.size())) {
        if (!unit.overlaps(other)) {
          continue;
        }
        for (String tensor : other.tensors().keySet()) {
          if (unit.tensors().containsKey(tensor)) {
            return "two units expect "
                + DisplayName.of(tensor)
                + " of the same rank ("
                + unit.ranks().label()
                + " and "
                + other.ranks().label()
                + ")";
          }
        }
      }
    }
    return "";
  }

  private static void write(JsonGenerator json, ExpectedUnit unit) throws IOException {
    json.writeStartObject();
    if (unit.ranks().pp() != UnitId.ABSENT) {
      json.writeNumberField("pp_rank", unit.ranks().pp());
    }
    if (unit.ranks().tp() != UnitId.ABSENT) {
      json.writeNumberField("tp_rank", unit.ranks().tp());
    }
    json.writeObjectFieldStart("tensors");
    for (Map.Entry<String, ExpectedTensor> tensor : unit.tensors().entrySet()) {
      json.writeObjectFieldStart(tensor.getKey());
      if (!tensor.getValue().dtype().isEmpty()) {
        json.writeStringField("dtype", tensor.getValue().dtype());
      }
      if (tensor.getValue().shape().isPresent()) {
        json.writeArrayFieldStart("shape");
        for (long dimension : tensor.getValue().shape().get().toArray()) {
          json.writeNumber(dimension);
        }
        json.writeEndArray();
      }
      json.writeEndObject();
    }
    json.writeEndObject();
    json.writeEndObject();
  }

  /** Reads the document. */
  private static final class Reader {
    private final JsonCursor cursor;
    private final List<ExpectedUnit> units = new ArrayList<>();
    private String format = "";

    Reader(JsonCursor cursor) {
      this.cursor = cursor;
    }

    ExpectedState document() throws JsonFormatException {
      cursor.object(
          "the document",
          member -> {
            switch (member) {
              case "format" -> format = format();
              case "units" -> cursor.array("units", () -> units.add(unit()));
              default -> throw cursor.failure(DisplayName.of(member) + " is not known here");
            }
          });
      if (format.isEmpty()) {
        throw new JsonFormatException("'format' is missing", null);
      }
      String problem = problem(units);
      if (!problem.isEmpty()) {
        throw new JsonFormatException(problem, null);
      }
      return new ExpectedState(units);
    }

    private String format() throws JsonFormatException {
      if (!cursor.peekString("format").equals(FORMAT)) {
        throw cursor.failure("'format' is not " + FORMAT);
      }
      return cursor.string("format");
    }

    private ExpectedUnit unit() throws JsonFormatException {
      UnitContent unit = new UnitContent();
      cursor.object(
          "a unit",
          member -> {
            switch (member) {
              case "pp_rank" -> unit.pp = rank(member);
              case "tp_rank" -> unit.tp = rank(member);
              case "tensors" -> {
                unit.hasTensors = true;
                cursor.object(member, name -> unit.tensors.put(name, tensor()));
              }
              default -> throw cursor.failure(DisplayName.of(member) + " is not known here");
            }
          });
      if (!unit.hasTensors) {
        throw cursor.failure("the unit before has no 'tensors'");
      }
      return new ExpectedUnit(new UnitId(unit.pp, unit.tp), unit.tensors);
    }

    private int rank(String what) throws JsonFormatException {
      return (int) cursor.integer(what, 0, MAX_RANK);
    }

    private ExpectedTensor tensor() throws JsonFormatException {
      TensorContent content = new TensorContent();
      cursor.object(
          "a tensor",
          member -> {
            switch (member) {
              case "dtype" -> content.tensor = content.tensor.withDtype(dtype());
              case "shape" -> content.tensor = content.tensor.withShape(shape());
              default -> throw cursor.failure(DisplayName.of(member) + " is not known here");
            }
          });
      return content.tensor;
    }

    private String dtype() throws JsonFormatException {
      if (cursor.peekString("dtype").isEmpty()) {
        throw cursor.failure("'dtype' is empty; leave it out if unknown");
      }
      String dtype = cursor.peekString("dtype");
      if (!dtype.equals(dtype.toUpperCase(Locale.ROOT))) {
        throw cursor.failure(
            "'dtype' is "
                + DisplayName.of(dtype)
                + ", which is no name of safetensors; write it as headers do (BF16, F32, I64,"
                + " BOOL, F8_E4M3)");
      }
      return cursor.string("dtype");
    }

    private Shape shape() throws JsonFormatException {
      List<Long> dimensions = new ArrayList<>();
      cursor.array(
          "shape",
          () -> {
            if (dimensions.size() == MAX_DIMENSIONS) {
              throw cursor.failure("a shape has at most " + MAX_DIMENSIONS + " dimensions");
            }
            dimensions.add(cursor.integer("a dimension", 0, Long.MAX_VALUE));
          });
      return Shape.of(dimensions.stream().mapToLong(Long::longValue).toArray());
    }
  }

  /** A unit while it is read. */
  private static final class UnitContent {
    private int pp = UnitId.ABSENT;
    private int tp = UnitId.ABSENT;
    private boolean hasTensors;
    private final Map<String, ExpectedTensor> tensors = new LinkedHashMap<>();
  }

  /** A tensor while it is read. */
  private static final class TensorContent {
    private ExpectedTensor tensor = ExpectedTensor.nameOnly();
  }
}
