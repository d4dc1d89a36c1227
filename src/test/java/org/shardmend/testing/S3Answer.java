package org.shardmend.testing;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;

/** What an {@link S3Server} answers. */
public final class S3Answer {
  private final int status;
  private final Map<String, String> headers;
  private final byte[] body;

  S3Answer(int status, Map<String, String> headers, byte[] body) {
    this.status = status;
    this.headers = Map.copyOf(headers);
    this.body = body;
  }

  int status() {
    return status;
  }

  Map<String, String> headers() {
    return headers;
  }

  byte[] body() {
    return body;
  }

  /** An error of the service, by its code, as S3 words it. */
  public static S3Answer error(int status, String code) {
    return new S3Answer(
        status,
        Map.of("Content-Type", "application/xml"),
        xml("<Error><Code>%s</Code><Message>%s</Message></Error>".formatted(code, code)));
  }

  static S3Answer empty(int status) {
    return new S3Answer(status, Map.of(), new byte[0]);
  }

  static S3Answer document(String xml) {
    return new S3Answer(200, Map.of("Content-Type", "application/xml"), xml(xml));
  }

  S3Answer with(String name, String value) {
    Map<String, String> more = new TreeMap<>(headers);
    more.put(name, value);
    return new S3Answer(status, more, body);
  }

  private static byte[] xml(String body) {
    return ("<?xml version=\"1.0\" encoding=\"UTF-8\"?>" + body).getBytes(StandardCharsets.UTF_8);
  }
}
