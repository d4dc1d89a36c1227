package org.shardmend.rules;

import java.util.List;
import java.util.Map;

/** A JSON value that remembers where it stands, and refuses to be taken for another kind. */
sealed interface LocatedJson {

  JsonPlace place();

  /** The kind, with its article: {@code a string}. */
  String kind();

  default JsonObject object() throws RuleException {
    throw wrongKind("an object");
  }

  default JsonList list() throws RuleException {
    throw wrongKind("a list");
  }

  default String text() throws RuleException {
    throw wrongKind("a string");
  }

  default boolean flag() throws RuleException {
    throw wrongKind("true or false");
  }

  /**
   * The value one step below: an object's member by a key that {@link JsonObject#checkKeys} found,
   * a list's item by its index.
   */
  default LocatedJson child(String step) {
    throw new IllegalStateException("Nothing is below " + kind() + ": " + step);
  }

  private RuleException wrongKind(String wanted) {
    return place().fault("This is " + kind() + ".", "It must be " + wanted + ".");
  }

  /** An object; its members in the order of the file, and where each member's key stands. */
  record JsonObject(JsonPlace place, Map<String, LocatedJson> members, Map<String, JsonPlace> keys)
      implements LocatedJson {
    @Override
    public String kind() {
      return "an object";
    }

    @Override
    public JsonObject object() {
      return this;
    }

    @Override
    public LocatedJson child(String step) {
      return members.get(step);
    }

    /** Checks that the keys are exactly {@code wanted}. */
    void checkKeys(List<String> wanted) throws RuleException {
      for (Map.Entry<String, JsonPlace> key : keys.entrySet()) {
        if (!wanted.contains(key.getKey())) {
          throw key.getValue()
              .fault("There is no such key.", "The keys here are " + wanted + "; remove it.");
        }
      }
      for (String key : wanted) {
        if (!members.containsKey(key)) {
          throw place.fault("The key '" + key + "' is missing.", "Add it; all keys are required.");
        }
      }
    }
  }

  /** A list. */
  record JsonList(JsonPlace place, List<LocatedJson> items) implements LocatedJson {
    @Override
    public String kind() {
      return "a list";
    }

    @Override
    public JsonList list() {
      return this;
    }

    @Override
    public LocatedJson child(String step) {
      return items.get(Integer.parseInt(step));
    }
  }

  /** A string. */
  record JsonText(JsonPlace place, String value) implements LocatedJson {
    @Override
    public String kind() {
      return "a string";
    }

    @Override
    public String text() {
      return value;
    }
  }

  /** True or false. */
  record JsonFlag(JsonPlace place, boolean value) implements LocatedJson {
    @Override
    public String kind() {
      return String.valueOf(value);
    }

    @Override
    public boolean flag() {
      return value;
    }
  }

  /** A number or null, which no rule file has a use for. */
  record JsonOther(JsonPlace place, String kind) implements LocatedJson {}
}
