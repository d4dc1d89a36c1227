package org.shardmend.checkpoint.json;

/** A JSON document that is not what it should be. The message begins with the place in it. */
public final class JsonFormatException extends Exception {
  private static final long serialVersionUID = 1L;

  public JsonFormatException(String message, Throwable cause) {
    super(message, cause);
  }
}
