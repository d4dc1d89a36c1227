package org.shardmend.testing;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;
import java.util.stream.Collectors;
import javax.xml.parsers.DocumentBuilderFactory;
import org.w3c.dom.NodeList;

/**
 * An S3 server in this process: as much of the service as S3A uses, with memory for a disk. It
 * records every request and can be told to fail any. It has no rename and no copy: who asks for one
 * gets an error.
 */
public final class S3Server implements AutoCloseable {
  /** The only key that is let in. */
  public static final String ACCESS_KEY = "test-access-key";

  private static final DateTimeFormatter HTTP_DATE =
      DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ROOT)
          .withZone(ZoneOffset.UTC);

  private final HttpServer http;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final S3Bucket bucket = new S3Bucket();
  private final List<S3Request> requests = new CopyOnWriteArrayList<>();
  private volatile Function<S3Request, Optional<S3Answer>> interceptor =
      request -> Optional.empty();

  private S3Server(HttpServer http) {
    this.http = http;
  }

  /** Starts a server with one empty bucket, which answers to every name. */
  public static S3Server start() throws IOException {
    // Else each answer waits 40 ms for the acknowledgement of its head.
    System.setProperty("sun.net.httpserver.nodelay", "true");
    HttpServer http =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    S3Server server = new S3Server(http);
    http.createContext("/", server::handle);
    http.setExecutor(server.threads);
    http.start();
    return server;
  }

  /** What S3A needs to find this server: Hadoop's settings for one bucket. */
  public Map<String, String> settings(String bucketName) {
    String prefix = "fs.s3a.bucket." + bucketName + ".";
    return Map.of(
        prefix + "endpoint", "http://127.0.0.1:" + http.getAddress().getPort(),
        prefix + "endpoint.region", "us-east-1",
        prefix + "path.style.access", "true",
        prefix + "connection.ssl.enabled", "false",
        prefix + "aws.credentials.provider",
            "org.apache.hadoop.fs.s3a.SimpleAWSCredentialsProvider",
        prefix + "access.key", ACCESS_KEY,
        prefix + "secret.key", "test-secret-key",
        prefix + "attempts.maximum", "1",
        prefix + "retry.limit", "1",
        prefix + "retry.interval", "10ms");
  }

  /** Answers in the server's place whatever the function has an answer for. */
  public void intercept(Function<S3Request, Optional<S3Answer>> answers) {
    interceptor = answers;
  }

  /** Answers everything itself again. */
  public void stopIntercepting() {
    interceptor = request -> Optional.empty();
  }

  /** All requests since the start, or since {@link #forgetRequests}. */
  public List<S3Request> requests() {
    return List.copyOf(requests);
  }

  /** Forgets the requests so far. */
  public void forgetRequests() {
    requests.clear();
  }

  /** All objects, as they are at one moment: content by key. */
  public NavigableMap<String, byte[]> objects() {
    NavigableMap<String, byte[]> content = new TreeMap<>();
    synchronized (bucket) {
      bucket.objects().forEach((key, object) -> content.put(key, object.content()));
    }
    return content;
  }

  /** Puts an object there. */
  public void put(String key, byte[] content) {
    synchronized (bucket) {
      bucket.put(key, content);
    }
  }

  /** Begins an upload that nobody ends, as a process does that is killed. */
  public void beginUpload(String key) {
    synchronized (bucket) {
      bucket.begin(key).parts().put(1, new byte[1]);
    }
  }

  /** The keys of uploads that were begun, and neither completed nor aborted. */
  public List<String> uploads() {
    synchronized (bucket) {
      return bucket.uploads().values().stream().map(S3Bucket.Upload::key).sorted().toList();
    }
  }

  /** Removes everything below a prefix, uploads too. */
  public void clear(String prefix) {
    synchronized (bucket) {
      bucket.objects().keySet().removeIf(key -> key.startsWith(prefix));
      bucket.uploads().values().removeIf(upload -> upload.key().startsWith(prefix));
    }
  }

  @Override
  public void close() {
    http.stop(0);
    threads.shutdownNow();
  }

  private void handle(HttpExchange exchange) {
    try (exchange) {
      S3Request request = S3Request.read(exchange);
      requests.add(request);
      send(exchange, answer(request));
    } catch (IOException clientIsGone) {
      // A client that wants no more of a long answer closes the connection.
    }
  }

  private S3Answer answer(S3Request request) {
    if (!request.header("authorization").orElse("").contains("Credential=" + ACCESS_KEY + "/")) {
      return S3Answer.error(403, "InvalidAccessKeyId");
    }
    Optional<S3Answer> instead = interceptor.apply(request);
    if (instead.isPresent()) {
      return instead.get();
    }
    synchronized (bucket) {
      return request.key().isEmpty() ? ofBucket(request) : ofObject(request);
    }
  }

  private static void send(HttpExchange exchange, S3Answer answer) throws IOException {
    answer.headers().forEach((name, value) -> exchange.getResponseHeaders().set(name, value));
    exchange.getResponseHeaders().set("x-amz-request-id", "TEST");
    if (exchange.getRequestMethod().equals("HEAD") || answer.body().length == 0) {
      exchange.sendResponseHeaders(answer.status(), -1);
      return;
    }
    exchange.sendResponseHeaders(answer.status(), answer.body().length);
    try (OutputStream out = exchange.getResponseBody()) {
      out.write(answer.body());
    }
  }

  private S3Answer ofBucket(S3Request request) {
    return switch (request.method()) {
      case "HEAD" -> S3Answer.empty(200);
      case "POST" -> deleteObjects(request);
      case "GET" -> request.asks("uploads") ? listUploads(request) : listObjects(request);
      default -> S3Answer.error(501, "NotImplemented");
    };
  }

  private S3Answer ofObject(S3Request request) {
    if (request.header("x-amz-copy-source").isPresent()) {
      return S3Answer.error(501, "NotImplemented");
    }
    return switch (request.method()) {
      case "HEAD", "GET" -> get(request);
      case "PUT" -> request.asks("uploadId") ? putPart(request) : put(request);
      case "POST" -> request.asks("uploads") ? beginUpload(request) : completeUpload(request);
      case "DELETE" -> request.asks("uploadId") ? abortUpload(request) : delete(request);
      default -> S3Answer.error(501, "NotImplemented");
    };
  }

  private S3Answer get(S3Request request) {
    S3Bucket.S3Object object = bucket.objects().get(request.key());
    if (object == null) {
      return S3Answer.error(404, "NoSuchKey");
    }
    if (request.header("if-match").filter(tag -> !tag.contains(object.etag())).isPresent()) {
      return S3Answer.error(412, "PreconditionFailed");
    }
    byte[] content = object.content();
    S3Answer whole =
        new S3Answer(200, Map.of(), content)
            .with("ETag", quoted(object.etag()))
            .with("Last-Modified", HTTP_DATE.format(object.modified()))
            .with("Accept-Ranges", "bytes");
    if (request.method().equals("HEAD")) {
      return whole.with("Content-Length", Integer.toString(content.length));
    }
    Optional<String> range = request.header("range");
    if (range.isEmpty()) {
      return whole;
    }
    String[] ends = range.get().substring("bytes=".length()).split("-", -1);
    int begin = Integer.parseInt(ends[0]);
    if (begin >= content.length) {
      return S3Answer.error(416, "InvalidRange");
    }
    int end =
        ends[1].isEmpty()
            ? content.length
            : (int) Math.min(content.length, Long.parseLong(ends[1]) + 1);
    return new S3Answer(206, whole.headers(), Arrays.copyOfRange(content, begin, end))
        .with("Content-Range", "bytes %d-%d/%d".formatted(begin, end - 1, content.length));
  }

  private S3Answer put(S3Request request) {
    if (request.header("if-none-match").isPresent()
        && bucket.objects().containsKey(request.key())) {
      return S3Answer.error(412, "PreconditionFailed");
    }
    return S3Answer.empty(200)
        .with("ETag", quoted(bucket.put(request.key(), request.body()).etag()));
  }

  private S3Answer delete(S3Request request) {
    bucket.objects().remove(request.key());
    return S3Answer.empty(204);
  }

  private S3Answer deleteObjects(S3Request request) {
    texts(request.body(), "Key").forEach(bucket.objects()::remove);
    return S3Answer.document("<DeleteResult/>");
  }

  private S3Answer beginUpload(S3Request request) {
    return S3Answer.document(
        "<InitiateMultipartUploadResult><Bucket>%s</Bucket><Key>%s</Key><UploadId>%s</UploadId></InitiateMultipartUploadResult>"
            .formatted(request.bucket(), escaped(request.key()), bucket.begin(request.key()).id()));
  }

  private Optional<S3Bucket.Upload> upload(S3Request request) {
    return Optional.ofNullable(bucket.uploads().get(request.query().get("uploadId")));
  }

  private S3Answer putPart(S3Request request) {
    Optional<S3Bucket.Upload> upload = upload(request);
    if (upload.isEmpty()) {
      return S3Answer.error(404, "NoSuchUpload");
    }
    int number = Integer.parseInt(request.query().get("partNumber"));
    upload.get().parts().put(number, request.body());
    return S3Answer.empty(200).with("ETag", quoted(S3Bucket.md5(request.body())));
  }

  private S3Answer completeUpload(S3Request request) {
    Optional<S3Bucket.Upload> upload = upload(request);
    if (upload.isEmpty()) {
      return S3Answer.error(404, "NoSuchUpload");
    }
    List<Integer> listed =
        texts(request.body(), "PartNumber").stream().map(Integer::valueOf).toList();
    if (!listed.equals(List.copyOf(upload.get().parts().keySet()))) {
      return S3Answer.error(400, "InvalidPart");
    }
    if (S3Bucket.hasSmallPart(upload.get())) {
      return S3Answer.error(400, "EntityTooSmall");
    }
    return S3Answer.document(
        "<CompleteMultipartUploadResult><Bucket>%s</Bucket><Key>%s</Key><ETag>%s</ETag></CompleteMultipartUploadResult>"
            .formatted(
                request.bucket(),
                escaped(request.key()),
                quoted(bucket.complete(upload.get()).etag())));
  }

  private S3Answer abortUpload(S3Request request) {
    return bucket.uploads().remove(request.query().get("uploadId")) == null
        ? S3Answer.error(404, "NoSuchUpload")
        : S3Answer.empty(204);
  }

  private S3Answer listUploads(S3Request request) {
    String prefix = request.query().getOrDefault("prefix", "");
    String uploads =
        bucket.uploads().values().stream()
            .filter(upload -> upload.key().startsWith(prefix))
            .map(
                upload ->
                    "<Upload><Key>%s</Key><UploadId>%s</UploadId><Initiated>2026-01-01T00:00:00.000Z</Initiated></Upload>"
                        .formatted(shown(request, upload.key()), upload.id()))
            .collect(Collectors.joining());
    return S3Answer.document(
        "<ListMultipartUploadsResult>%s<IsTruncated>false</IsTruncated>%s</ListMultipartUploadsResult>"
            .formatted(encoding(request), uploads));
  }

  private S3Answer listObjects(S3Request request) {
    Map<String, String> query = request.query();
    String after = query.getOrDefault("continuation-token", query.getOrDefault("start-after", ""));
    S3Bucket.Page page =
        bucket.list(
            query.getOrDefault("prefix", ""),
            query.getOrDefault("delimiter", ""),
            after,
            Math.min(1000, Integer.parseInt(query.getOrDefault("max-keys", "1000"))));
    List<String> entries = new ArrayList<>();
    page.objects()
        .forEach(
            (key, object) ->
                entries.add(
                    "<Contents><Key>%s</Key><LastModified>%s</LastModified><ETag>%s</ETag><Size>%d</Size></Contents>"
                        .formatted(
                            shown(request, key),
                            object.modified().truncatedTo(ChronoUnit.MILLIS),
                            quoted(object.etag()),
                            object.content().length)));
    for (String prefix : page.prefixes()) {
      entries.add(
          "<CommonPrefixes><Prefix>%s</Prefix></CommonPrefixes>".formatted(shown(request, prefix)));
    }
    String next =
        page.next().isEmpty()
            ? ""
            : "<NextContinuationToken>%s</NextContinuationToken>".formatted(escaped(page.next()));
    return S3Answer.document(
        "<ListBucketResult>%s<KeyCount>%d</KeyCount><IsTruncated>%s</IsTruncated>%s%s</ListBucketResult>"
            .formatted(
                encoding(request),
                entries.size(),
                !page.next().isEmpty(),
                next,
                String.join("", entries)));
  }

  private static String encoding(S3Request request) {
    return request.asks("encoding-type") ? "<EncodingType>url</EncodingType>" : "";
  }

  private static String shown(S3Request request, String key) {
    return request.asks("encoding-type")
        ? URLEncoder.encode(key, StandardCharsets.UTF_8)
        : escaped(key);
  }

  private static String quoted(String etag) {
    return "\"" + etag + "\"";
  }

  private static String escaped(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }

  /** The texts of all elements of that name. */
  private static List<String> texts(byte[] xml, String name) {
    try {
      NodeList nodes =
          DocumentBuilderFactory.newInstance()
              .newDocumentBuilder()
              .parse(new ByteArrayInputStream(xml))
              .getElementsByTagName(name);
      List<String> texts = new ArrayList<>();
      for (int i = 0; i < nodes.getLength(); i++) {
        texts.add(nodes.item(i).getTextContent());
      }
      return texts;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (Exception malformed) {
      throw new IllegalArgumentException("The client sent no XML", malformed);
    }
  }
}
