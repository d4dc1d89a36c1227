package org.shardmend.testing;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/** What an {@link S3Server} holds: objects that appear whole, and uploads that nobody sees. */
final class S3Bucket {
  /** Least size of a part that is not the last one, as in the real service. */
  private static final int MIN_PART_BYTES = 5 << 20;

  /** An object, whose content never changes. */
  static final class S3Object {
    private final byte[] content;
    private final String etag;
    private final Instant modified = Instant.now();

    S3Object(byte[] content, String etag) {
      this.content = content;
      this.etag = etag;
    }

    byte[] content() {
      return content;
    }

    String etag() {
      return etag;
    }

    Instant modified() {
      return modified;
    }
  }

  /** An upload that was neither completed nor aborted. */
  record Upload(String id, String key, NavigableMap<Integer, byte[]> parts) {}

  /**
   * A page of a listing: keys, common prefixes, and where the next page begins, if there is one.
   */
  record Page(NavigableMap<String, S3Object> objects, List<String> prefixes, String next) {}

  private final NavigableMap<String, S3Object> objects = new TreeMap<>();
  private final Map<String, Upload> uploads = new TreeMap<>();
  private int uploadsBegun;

  NavigableMap<String, S3Object> objects() {
    return objects;
  }

  Map<String, Upload> uploads() {
    return uploads;
  }

  S3Object put(String key, byte[] content) {
    S3Object object = new S3Object(content, md5(content));
    objects.put(key, object);
    return object;
  }

  Upload begin(String key) {
    Upload upload = new Upload("upload-" + ++uploadsBegun, key, new TreeMap<>());
    uploads.put(upload.id(), upload);
    return upload;
  }

  /** Makes an object of the parts. */
  S3Object complete(Upload upload) {
    List<byte[]> parts = new ArrayList<>(upload.parts().values());
    int bytes = 0;
    StringBuilder etags = new StringBuilder();
    for (byte[] part : parts) {
      bytes += part.length;
      etags.append(md5(part));
    }
    byte[] content = new byte[bytes];
    int at = 0;
    for (byte[] part : parts) {
      System.arraycopy(part, 0, content, at, part.length);
      at += part.length;
    }
    String etag = md5(etags.toString().getBytes(StandardCharsets.UTF_8)) + "-" + parts.size();
    S3Object object = new S3Object(content, etag);
    objects.put(upload.key(), object);
    uploads.remove(upload.id());
    return object;
  }

  static boolean hasSmallPart(Upload upload) {
    List<byte[]> parts = new ArrayList<>(upload.parts().values());
    return parts.subList(0, parts.size() - 1).stream()
        .anyMatch(part -> part.length < MIN_PART_BYTES);
  }

  /** The keys below {@code prefix} that come after {@code after}, at most {@code max}. */
  Page list(String prefix, String delimiter, String after, int max) {
    NavigableMap<String, S3Object> found = new TreeMap<>();
    List<String> prefixes = new ArrayList<>();
    String last = "";
    for (Map.Entry<String, S3Object> entry : objects.tailMap(prefix, true).entrySet()) {
      String key = entry.getKey();
      if (!key.startsWith(prefix)) {
        break;
      }
      int end = delimiter.isEmpty() ? -1 : key.indexOf(delimiter, prefix.length());
      String shown = end < 0 ? key : key.substring(0, end + 1);
      if (shown.compareTo(after) <= 0 || prefixes.contains(shown)) {
        continue;
      }
      if (found.size() + prefixes.size() == max) {
        return new Page(found, prefixes, last);
      }
      if (end < 0) {
        found.put(key, entry.getValue());
      } else {
        prefixes.add(shown);
      }
      last = shown;
    }
    return new Page(found, prefixes, "");
  }

  static String md5(byte[] content) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("MD5").digest(content));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every Java has MD5", e);
    }
  }
}
