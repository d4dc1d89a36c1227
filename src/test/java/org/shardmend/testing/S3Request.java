package org.shardmend.testing;

import com.sun.net.httpserver.HttpExchange;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** A request as an {@link S3Server} got it. */
public final class S3Request {
  private final String method;
  private final String bucket;
  private final String key;
  private final Map<String, String> query;
  private final Map<String, String> headers;
  private final byte[] body;

  private S3Request(
      String method,
      String bucket,
      String key,
      Map<String, String> query,
      Map<String, String> headers,
      byte[] body) {
    this.method = method;
    this.bucket = bucket;
    this.key = key;
    this.query = query;
    this.headers = headers;
    this.body = body;
  }

  /** Of HTTP. */
  public String method() {
    return method;
  }

  /** The first part of the path. */
  String bucket() {
    return bucket;
  }

  /** The rest of the path; empty when the request is about the bucket. */
  public String key() {
    return key;
  }

  /** Names and values. */
  public Map<String, String> query() {
    return query;
  }

  /** By their names in lower case. */
  public Map<String, String> headers() {
    return headers;
  }

  /** Without the framing of signed chunks. */
  byte[] body() {
    return body;
  }

  static S3Request read(HttpExchange exchange) throws IOException {
    String path = exchange.getRequestURI().getRawPath().substring(1);
    int slash = path.indexOf('/');
    Map<String, String> headers = new TreeMap<>();
    exchange
        .getRequestHeaders()
        .forEach(
            (name, values) -> headers.put(name.toLowerCase(java.util.Locale.ROOT), values.get(0)));
    byte[] body = exchange.getRequestBody().readAllBytes();
    return new S3Request(
        exchange.getRequestMethod(),
        slash < 0 ? path : path.substring(0, slash),
        slash < 0 ? "" : decode(path.substring(slash + 1)),
        query(exchange.getRequestURI().getRawQuery()),
        headers,
        headers.getOrDefault("x-amz-content-sha256", "").startsWith("STREAMING-")
            ? unframed(body)
            : body);
  }

  private static String decode(String text) {
    return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
  }

  private static Map<String, String> query(String raw) {
    Map<String, String> query = new TreeMap<>();
    if (raw != null) {
      for (String pair : raw.split("&", -1)) {
        int equals = pair.indexOf('=');
        query.put(
            decode(equals < 0 ? pair : pair.substring(0, equals)),
            equals < 0 ? "" : decode(pair.substring(equals + 1)));
      }
    }
    return query;
  }

  /** Chunks of the form {@code hex-length;chunk-signature=...\r\n bytes \r\n}, until one of 0. */
  private static byte[] unframed(byte[] framed) throws IOException {
    ByteArrayOutputStream content = new ByteArrayOutputStream();
    InputStream in = new ByteArrayInputStream(framed);
    while (true) {
      StringBuilder line = new StringBuilder();
      for (int c = in.read(); c != '\n'; c = in.read()) {
        line.append((char) c);
      }
      int bytes = Integer.parseInt(line.toString().strip().replaceFirst(";.*", ""), 16);
      if (bytes == 0) {
        return content.toByteArray();
      }
      content.write(in.readNBytes(bytes));
      in.readNBytes(2);
    }
  }

  /** Whether this is about one object's content or status. */
  public boolean isOf(String verb, String suffix) {
    return method.equals(verb) && key.endsWith(suffix);
  }

  /** Whether it changes what the store holds. */
  public boolean changes() {
    return !method.equals("GET") && !method.equals("HEAD");
  }

  Optional<String> header(String name) {
    return Optional.ofNullable(headers.get(name));
  }

  boolean asks(String parameter) {
    return query.containsKey(parameter);
  }

  @Override
  public String toString() {
    return method + " " + bucket + "/" + key + query + header("range").map(r -> " " + r).orElse("");
  }
}
