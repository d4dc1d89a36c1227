package org.shardmend.safetensors;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;

/** Writes a header's JSON as loosely as the format allows: white space, escapes, any order. */
final class SloppyJson {
  private static final String[] SPACES = {"", "", "", " ", "\n", "\t", "\r\n", "  "};

  private final Random random;

  SloppyJson(Random random) {
    this.random = random;
  }

  String of(Header header) {
    List<String> members = new ArrayList<>();
    for (int i = 0; i <= header.tensors().size(); i++) {
      if (i == header.content().metadataPosition()) {
        members.add(member("__metadata__", metadata(header.content().freeForm())));
      }
      if (i < header.tensors().size()) {
        TensorEntry tensor = header.tensors().get(i);
        members.add(member(tensor.name(), entry(tensor)));
      }
    }
    if (header.metadata().isEmpty() && random.nextBoolean()) {
      members.add(member("__metadata__", "null"));
    }
    return space() + object(members) + space();
  }

  private String metadata(Map<String, String> freeForm) {
    return object(
        freeForm.entrySet().stream()
            .map(entry -> member(entry.getKey(), string(entry.getValue())))
            .toList());
  }

  private String entry(TensorEntry tensor) {
    List<String> members = new ArrayList<>();
    members.add(
        member(
            "dtype",
            random.nextInt(8) == 0
                ? object(List.of(member(tensor.dtype(), "null")))
                : string(tensor.dtype())));
    members.add(member("shape", array(tensor.shape().toArray())));
    members.add(member("data_offsets", array(tensor.begin(), tensor.end())));
    if (!tensor.extras().isEmpty()) {
      members.add(tensor.extras());
    }
    Collections.shuffle(members, random);
    return object(members);
  }

  private String member(String name, String value) {
    return string(name) + space() + ":" + space() + value;
  }

  private String object(List<String> members) {
    return "{" + joined(members) + "}";
  }

  private String array(long... numbers) {
    List<String> elements = new ArrayList<>();
    for (long number : numbers) {
      elements.add(Long.toString(number));
    }
    return "[" + joined(elements) + "]";
  }

  private String joined(List<String> elements) {
    return elements.stream()
        .map(element -> space() + element + space())
        .collect(Collectors.joining(","));
  }

  private String string(String text) {
    StringBuilder json = new StringBuilder("\"");
    for (int i = 0; i < text.length(); i++) {
      char unit = text.charAt(i);
      if (unit == '/' && random.nextBoolean()) {
        json.append("\\/");
      } else if (mustEscape(unit) || (!Character.isSurrogate(unit) && random.nextInt(6) == 0)) {
        json.append(String.format(random.nextBoolean() ? "\\u%04x" : "\\u%04X", (int) unit));
      } else {
        json.append(unit);
      }
    }
    return json.append('"').toString();
  }

  private static boolean mustEscape(char unit) {
    return unit < ' ' || unit == '"' || unit == '\\';
  }

  private String space() {
    return SPACES[random.nextInt(SPACES.length)];
  }
}
