package org.shardmend.checkpoint;

/** A JSON document that is not what it should be. The message begins with the place in it. */
final class JsonFormatException extends Exception {
  private static final long serialVersionUID = 1L;

  JsonFormatException(String message, Throwable cause) {
    super(message, cause);
  }
}
