package org.shardmend.storage;

import java.io.Serializable;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Where something is. The path's characters are literal: {@code %20} is three characters, and no
 * {@code *} is a pattern.
 *
 * @param scheme in lower case; {@code file} for what is mounted
 * @param authority host, bucket or container, with all that belongs to it; empty for {@code file}
 * @param path absolute, without {@code .}, {@code ..}, empty parts or a slash at its end
 */
public record Location(String scheme, String authority, String path) implements Serializable {

  /** The scheme of what is mounted. */
  public static final String FILE = "file";

  private static final Pattern WITH_SCHEME =
      Pattern.compile("(?<scheme>[a-zA-Z][a-zA-Z0-9+.-]+):(?<rest>/.*)", Pattern.DOTALL);
  private static final Pattern WITH_AUTHORITY =
      Pattern.compile("//(?<authority>[^/]*)(?<path>.*)", Pattern.DOTALL);
  private static final Pattern AUTHORITY =
      Pattern.compile("(?<user>[^@]*@)?(?<host>\\[[0-9a-fA-F:.]+]|[^@:\\s]+)(?<port>:[0-9]+)?");

  /** Where the part before the {@code @} is a container's name, not a login. */
  private static final Set<String> CONTAINER_SCHEMES = Set.of("abfs", "abfss", "wasb", "wasbs");

  private static final String HDFS = "hdfs";
  private static final String HDFS_DEFAULT_PORT = ":8020";

  /**
   * @throws IllegalArgumentException when a part is not as described above
   */
  public Location {
    if (!path.equals(normalize(path)) || path.indexOf('\0') >= 0) {
      throw new IllegalArgumentException("Not an absolute, normal path: '%s'".formatted(path));
    }
  }

  /**
   * A location in a mounted file system; a relative path is meant from the working directory.
   *
   * @param path a {@code ..} in it means what the kernel means: the directory above what is before
   *     it, links followed
   * @throws IllegalArgumentException when there is no directory before a {@code ..}
   */
  public static Location ofFile(String path) {
    return new Location(FILE, "", normalize(KernelPath.withoutUp(absolute(path))));
  }

  /**
   * Reads a location as people write it: {@code file:/x}, {@code file:///x}, {@code hdfs://h:p/x},
   * {@code s3a://bucket/x}, {@code /absolute} or {@code relative/directory}. A {@code ..} is
   * resolved as the kernel does where files are mounted, and refused elsewhere: HDFS refuses it,
   * and in an object's key it is a name like any other.
   *
   * @param text as written; a relative path that looks like a URI is written with {@code ./} before
   *     it
   * @param defaultFileSystem Hadoop's {@code fs.defaultFS}: where a path without a scheme is meant
   * @throws IllegalArgumentException when the text is no location; the message says why, and shows
   *     no login
   */
  public static Location parse(String text, String defaultFileSystem) {
    if (text.isEmpty()) {
      throw new IllegalArgumentException("A location cannot be empty.");
    }
    if (text.indexOf('\0') >= 0) {
      throw new IllegalArgumentException("A location cannot hold a NUL character.");
    }
    Matcher uri = WITH_SCHEME.matcher(text);
    if (uri.matches()) {
      return ofUri(
          uri.group("scheme").toLowerCase(Locale.ROOT), uri.group("rest"), defaultFileSystem);
    }
    Matcher fallback = WITH_SCHEME.matcher(defaultFileSystem);
    if (!fallback.matches() || fallback.group("scheme").equalsIgnoreCase(FILE)) {
      return ofFile(text);
    }
    if (!text.startsWith("/")) {
      throw new IllegalArgumentException(
          "The default file system is not the local one, so a relative path is ambiguous: '%s'. Write file:/... or the whole path."
              .formatted(text));
    }
    Location root = parse(defaultFileSystem, FILE + ":///");
    return new Location(root.scheme(), root.authority(), normalize(withoutUp(root.scheme(), text)));
  }

  private static Location ofUri(String scheme, String rest, String defaultFileSystem) {
    Matcher parts = WITH_AUTHORITY.matcher(rest);
    boolean hasAuthority = parts.matches();
    String authority = hasAuthority ? parts.group("authority") : "";
    String path = hasAuthority ? parts.group("path") : rest;
    if (scheme.equals(FILE)) {
      if (!authority.isEmpty() && !authority.equals("localhost")) {
        throw new IllegalArgumentException(
            "A file: location has no host, but this one names '%s'. Write file:/path."
                .formatted(authority));
      }
      return ofFile(path);
    }
    return new Location(
        scheme,
        authority.isEmpty()
            ? defaultAuthority(scheme, defaultFileSystem)
            : checkedAuthority(scheme, authority),
        normalize(withoutUp(scheme, path)));
  }

  private static String withoutUp(String scheme, String path) {
    if (KernelPath.holdsUp(path)) {
      throw new IllegalArgumentException(
          "A location in %s: can't hold '..', which means different things there: '%s'. Write the path without it."
              .formatted(scheme, path));
    }
    return path;
  }

  private static String defaultAuthority(String scheme, String defaultFileSystem) {
    Matcher fallback = WITH_SCHEME.matcher(defaultFileSystem);
    if (fallback.matches() && fallback.group("scheme").equalsIgnoreCase(scheme)) {
      Matcher parts = WITH_AUTHORITY.matcher(fallback.group("rest"));
      if (parts.matches() && !parts.group("authority").isEmpty()) {
        return checkedAuthority(scheme, parts.group("authority"));
      }
    }
    throw new IllegalArgumentException(
        "A location in %s: needs a host or a bucket: %s://NAME/path.".formatted(scheme, scheme));
  }

  /** The authority, so that two spellings of one place are equal. */
  private static String checkedAuthority(String scheme, String authority) {
    Matcher parts = AUTHORITY.matcher(authority);
    if (!parts.matches()) {
      // It is not shown: this is what a secret key with a slash in it looks like.
      throw new IllegalArgumentException(
          "The part between %s:// and the next slash is neither a name nor a host with a port. Keys do not belong there: put them into the Hadoop configuration."
              .formatted(scheme));
    }
    if (!scheme.equals(HDFS)) {
      return authority;
    }
    String lower = authority.toLowerCase(Locale.ROOT);
    return lower.endsWith(HDFS_DEFAULT_PORT)
        ? lower.substring(0, lower.length() - HDFS_DEFAULT_PORT.length())
        : lower;
  }

  private static String absolute(String path) {
    return path.startsWith("/") ? path : System.getProperty("user.dir") + "/" + path;
  }

  /** Without {@code .}, empty parts and a slash at its end; a {@code ..} is no text to drop. */
  private static String normalize(String absolute) {
    if (KernelPath.holdsUp(absolute)) {
      throw new IllegalArgumentException("A path with '..' in it: '%s'".formatted(absolute));
    }
    return Stream.of(absolute.split("/", -1))
        .filter(part -> !part.isEmpty() && !part.equals("."))
        .collect(Collectors.joining("/", "/", ""));
  }

  /** Whether this is in a mounted file system. */
  public boolean isFile() {
    return scheme.equals(FILE);
  }

  /** Whether {@code other} is in the same file system. */
  public boolean sameStore(Location other) {
    return scheme.equals(other.scheme) && authority.equals(other.authority);
  }

  /**
   * What has this name below this location.
   *
   * @param name a plain name, or several with slashes between
   * @throws IllegalArgumentException when the name is empty, absolute or leads elsewhere
   */
  public Location child(String name) {
    String joined = (path.equals("/") ? "" : path) + "/" + name;
    if (name.isEmpty() || KernelPath.holdsUp(name) || !joined.equals(normalize(joined))) {
      throw new IllegalArgumentException("Not a name below %s: '%s'".formatted(this, name));
    }
    return new Location(scheme, authority, joined);
  }

  /**
   * The directory that this is in.
   *
   * @throws IllegalStateException for the root, which is in none
   */
  public Location parent() {
    if (path.equals("/")) {
      throw new IllegalStateException("%s has no parent.".formatted(this));
    }
    return new Location(scheme, authority, path.substring(0, Math.max(1, path.lastIndexOf('/'))));
  }

  /** The last part of the path; empty for the root. */
  public String name() {
    return path.substring(path.lastIndexOf('/') + 1);
  }

  /** Whether {@code other} is this location or lies below it, by name; links are not followed. */
  public boolean contains(Location other) {
    return sameStore(other)
        && (path.equals("/") || other.path.equals(path) || other.path.startsWith(path + "/"));
  }

  /** As a URI, but literal and without a login; {@link #parse} reads it back. */
  @Override
  public String toString() {
    if (authority.isEmpty()) {
      return scheme + ":" + path;
    }
    return scheme + "://" + publicAuthority() + path;
  }

  private String publicAuthority() {
    int at = authority.lastIndexOf('@');
    return at < 0 || CONTAINER_SCHEMES.contains(scheme) ? authority : authority.substring(at + 1);
  }
}
