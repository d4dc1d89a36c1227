package org.shardmend.cli.text;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.JsonSerializable;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.jsontype.TypeSerializer;
import java.io.IOException;
import java.util.Iterator;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * A list in a document whose members are made while they are written, one by one, so that its
 * length costs no memory. A document may be written several times.
 */
public final class StreamedList extends JsonSerializable.Base {
  private final Supplier<? extends Stream<? extends JsonNode>> members;

  /** A list of what each call gives. */
  public StreamedList(Supplier<? extends Stream<? extends JsonNode>> members) {
    this.members = members;
  }

  @Override
  public void serialize(JsonGenerator json, SerializerProvider provider) throws IOException {
    json.writeStartArray(this);
    try (Stream<? extends JsonNode> stream = members.get()) {
      for (Iterator<? extends JsonNode> each = stream.iterator(); each.hasNext(); ) {
        each.next().serialize(json, provider);
      }
    }
    json.writeEndArray();
  }

  @Override
  public void serializeWithType(
      JsonGenerator json, SerializerProvider provider, TypeSerializer type) throws IOException {
    serialize(json, provider);
  }
}
