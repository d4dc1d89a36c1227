package org.shardmend.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/** What lies below a directory, to be compared before and after. */
public final class DirectoryContent {
  private DirectoryContent() {}

  /**
   * Everything below {@code directory} by its relative name: a file's SHA-256, a link's target, or
   * that it is a directory.
   */
  public static SortedMap<String, String> of(Path directory) {
    SortedMap<String, String> content = new TreeMap<>();
    for (Path entry : entries(directory)) {
      content.put(directory.relativize(entry).toString(), describe(entry));
    }
    return content;
  }

  /** The names of everything below {@code directory}, hidden ones too. */
  public static List<String> names(Path directory) {
    return entries(directory).stream()
        .map(entry -> directory.relativize(entry).toString())
        .sorted()
        .toList();
  }

  /** Copies a directory with all that is below it. */
  public static Path copy(Path from, Path to) {
    try {
      Files.createDirectories(to);
      for (Path entry : entries(from)) {
        Path copy = to.resolve(from.relativize(entry).toString());
        if (Files.isDirectory(entry)) {
          Files.createDirectories(copy);
        } else {
          Files.createDirectories(copy.getParent());
          Files.copy(entry, copy, StandardCopyOption.COPY_ATTRIBUTES);
        }
      }
      return to;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<Path> entries(Path directory) {
    try (Stream<Path> all = Files.walk(directory)) {
      return all.filter(entry -> !entry.equals(directory)).sorted().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String describe(Path entry) {
    try {
      if (Files.isSymbolicLink(entry)) {
        return "link to " + Files.readSymbolicLink(entry);
      }
      if (Files.isDirectory(entry)) {
        return "directory";
      }
      return Files.isRegularFile(entry) ? sha256(Files.readAllBytes(entry)) : "special";
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String sha256(byte[] bytes) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every Java has SHA-256.", e);
    }
  }
}
