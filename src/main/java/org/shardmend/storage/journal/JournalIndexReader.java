package org.shardmend.storage.journal;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.shardmend.checkpoint.Listing;
import org.shardmend.checkpoint.sidefile.ChecksumJson;
import org.shardmend.checkpoint.sidefile.ModelConfig;
import org.shardmend.safetensors.HeaderReader;
import org.shardmend.storage.Location;
import org.shardmend.storage.bytes.FileImage;
import org.shardmend.storage.bytes.ShardContent;
import org.shardmend.storage.protocol.JournalRefusedException;
import org.shardmend.storage.protocol.JsonDocument;
import org.shardmend.storage.publish.Manifest;

/**
 * Reads READY as what it is, a text that anybody may have written: only what a run could have
 * written comes through. What it names is looked at by others.
 */
final class JournalIndexReader {
  /** More than READY has for a hundred thousand shards. */
  static final int MAX_BYTES = 1 << 26;

  private static final Pattern DIGEST = Pattern.compile("[0-9a-f]{64}");
  private static final Pattern IDENTITY = Pattern.compile("[0-9]{1,20}");
  private static final Pattern WORD = Pattern.compile("[\\p{L}\\p{N}._:+@$\\\\ -]{0,255}");
  private static final int MAX_SIDE_FILE_BYTES = 1 << 28;
  private static final int MAX_HEADER = HeaderReader.LENGTH_BYTES + HeaderReader.MAX_HEADER_BYTES;
  private static final Set<String> SIDE_FILES =
      Set.of(
          Manifest.NAME,
          ChecksumJson.FILE_NAME,
          ModelConfig.FILE_NAME,
          "hf_quant_config.json",
          "quantize_config.json",
          "quant_config.json",
          "quantization_config.json");

  private final Location where;

  private JournalIndexReader(Location where) {
    this.where = where;
  }

  /** Whether a repair in place writes a side file of this name, by its last part. */
  static boolean isSideFile(String name) {
    String last = name.substring(name.lastIndexOf('/') + 1);
    return SIDE_FILES.contains(last) || last.toLowerCase(Locale.ROOT).endsWith(".index.json");
  }

  /** Whether it is the name of a file in the checkpoint, or in a directory of it, and not ours. */
  static boolean isPlain(String name) {
    for (String part : name.split("/", -1)) {
      if (part.isEmpty()
          || part.equals(".")
          || part.equals("..")
          || part.toLowerCase(Locale.ROOT).startsWith(Listing.OWN_DIRECTORY)
          || part.chars().anyMatch(c -> c < ' ' || c == 0x7f)) {
        return false;
      }
    }
    return true;
  }

  /**
   * Reads the document.
   *
   * @param where the file, for messages
   * @throws JournalException when it is no such document, or of a later version
   * @throws JournalRefusedException when it says what no run writes
   */
  static JournalIndex read(byte[] content, Location where)
      throws JournalException, JournalRefusedException {
    JournalIndex index;
    try {
      JsonNode document = JsonDocument.tree(content);
      String format = document.path("format").asText();
      if (format.equals(JournalIndex.FIRST_FORMAT) && document instanceof ObjectNode members) {
        addWhatTheFirstLacks(members);
      } else if (!format.equals(JournalIndex.FORMAT)) {
        throw JournalException.damaged(
            where,
            "has the format '%s', but this version knows '%s'"
                .formatted(shortened(format), JournalIndex.FORMAT));
      }
      index = JsonDocument.fromTree(document, JournalIndex.class);
    } catch (JsonProcessingException unreadable) {
      JournalException damaged = JournalException.damaged(where, "cannot be read");
      damaged.initCause(unreadable);
      throw damaged;
    }
    new JournalIndexReader(where).check(index);
    return index;
  }

  private static String shortened(String text) {
    return text.length() > 40 ? text.substring(0, 40) + "…" : text;
  }

  private static void addWhatTheFirstLacks(ObjectNode document) {
    document.put("user", "");
    document.put("host", "");
    document.set("compared", document.arrayNode());
    if (document.path("entries") instanceof ArrayNode entries) {
      for (JsonNode entry : entries) {
        for (String image : new String[] {"before", "after"}) {
          if (entry.path(image) instanceof ObjectNode members) {
            members.put("modified", 0);
            members.put("changed", 0);
            members.put("content", "");
          }
        }
      }
    }
  }

  private void check(JournalIndex index) throws JournalRefusedException {
    require(WORD.matcher(index.runId()).matches(), "has a run that is none");
    require(WORD.matcher(index.since()).matches(), "has a time that is none");
    require(WORD.matcher(index.user()).matches(), "has a user who is none");
    require(WORD.matcher(index.host()).matches(), "has a host that is none");
    Set<Integer> numbers = new HashSet<>();
    Set<String> names = new HashSet<>();
    for (JournalEntry entry : index.entries()) {
      require(
          entry.number() >= 0 && numbers.add(entry.number()),
          "has two entries of number %d, or one below 0".formatted(entry.number()));
      requirePlain(entry.name());
      require(names.add(entry.name()), "names '%s' twice".formatted(shown(entry.name())));
      check(entry);
    }
    for (ComparedFile file : index.compared()) {
      requirePlain(file.name());
    }
  }

  private void requirePlain(String name) throws JournalRefusedException {
    require(isPlain(name), "names '%s', no file of the checkpoint".formatted(shown(name)));
  }

  private static String shown(String name) {
    return shortened(name.replaceAll("\\p{Cntrl}", "?"));
  }

  private void check(JournalEntry entry) throws JournalRefusedException {
    String said = "has an entry for '%s' that ".formatted(shown(entry.name()));
    switch (entry.kind()) {
      case PATCH -> {
        requireImage(entry.before(), said);
        requireImage(entry.after(), said);
        require(
            entry.before().bytes() == entry.after().bytes()
                && entry.before().leadingBytes() == entry.after().leadingBytes()
                && isHeaderLength(entry.before())
                && !isSideFile(entry.name()),
            said + "overwrites no header by one of the same length");
        require(DIGEST.matcher(entry.stored()).matches(), said + "has no digest of its headers");
      }
      case REPLACE -> {
        requireImage(entry.before(), said);
        requireImage(entry.after(), said);
        require(
            isSideFile(entry.name())
                ? isWholeSideFile(entry.before()) && isWholeSideFile(entry.after())
                : isProvenShard(entry.before()) && isProvenShard(entry.after()),
            said
                + "does not prove the whole content of both files; an entry of an earlier version"
                + " never does for a shard: undo it with that version");
      }
      case ADD -> {
        requireImage(entry.after(), said);
        require(
            entry.name().equals(Manifest.NAME)
                && entry.before().equals(FileImage.ABSENT)
                && isWholeSideFile(entry.after()),
            said + "adds a file; only " + Manifest.NAME + " is ever added");
      }
    }
  }

  private void requireImage(FileImage image, String said) throws JournalRefusedException {
    require(
        IDENTITY.matcher(image.fileKey()).matches()
            && DIGEST.matcher(image.digest()).matches()
            && image.bytes() >= 0
            && image.leadingBytes() >= 0
            && image.leadingBytes() <= image.bytes(),
        said + "does not say what the file is");
  }

  private static boolean isHeaderLength(FileImage image) {
    return image.leadingBytes() > HeaderReader.LENGTH_BYTES && image.leadingBytes() <= MAX_HEADER;
  }

  private static boolean isWholeSideFile(FileImage image) {
    return image.isWhole() && image.bytes() <= MAX_SIDE_FILE_BYTES;
  }

  private static boolean isProvenShard(FileImage image) {
    return isHeaderLength(image) && ShardContent.isProof(image.content());
  }

  private void require(boolean right, String what) throws JournalRefusedException {
    if (!right) {
      throw JournalRefusedException.malformed(where, what);
    }
  }
}
