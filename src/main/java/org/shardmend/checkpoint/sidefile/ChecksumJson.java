package org.shardmend.checkpoint.sidefile;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import org.shardmend.checkpoint.CheckpointException;
import org.shardmend.checkpoint.Finding;
import org.shardmend.checkpoint.FindingCode;
import org.shardmend.checkpoint.PlainName;
import org.shardmend.checkpoint.Sha256;
import org.shardmend.checkpoint.UnitId;
import org.shardmend.checkpoint.json.JsonCursor;
import org.shardmend.checkpoint.json.JsonFormatException;
import org.shardmend.checkpoint.json.JsonRewrite;
import org.shardmend.checkpoint.json.PythonJson;

/**
 * The {@code checksum.json} of a presharded dump: which rank reads which key of which file under
 * which name. Its two lists, {@code files} and {@code rank_to_reads}, were found to say the same.
 * It is rewritten with everything that is no name and no sum kept as it was.
 */
public final class ChecksumJson {

  /** The file's name in the dump's directory. */
  public static final String FILE_NAME = "checksum.json";

  /** The only version there is. */
  static final int VERSION = 1;

  /** A rank that checksum.json could honestly have; the number of readers must stay countable. */
  static final int MAX_WORLD_SIZE = 1 << 20;

  private static final String FILES = "files";
  private static final String TENSORS = "tensors";
  private static final String RANK_TO_NAMES = "rank_to_names";
  private static final String RANK_TO_READS = "rank_to_reads";
  private static final String RANK_CHECKSUMS = "rank_checksums";
  private static final String SHARD_CONFIG = "shard_config";
  private static final String FILENAME = "filename";
  private static final String STORED_KEY = "stored_key";
  private static final String NAME = "name";
  private static final String IS_EXTRA = "is_extra";

  /** What a rank's tensor is called after a repair. */
  @FunctionalInterface
  public interface Renaming {
    /**
     * The new name of what {@code rank} reads; empty to leave it out of the rank's lists.
     *
     * @param rank the world rank
     */
    Optional<String> target(int rank, PreshardedRead read);
  }

  private final byte[] json;
  private final Content content;
  private final HashKind hash;

  private ChecksumJson(byte[] json, Content content, HashKind hash) {
    this.json = json;
    this.content = content;
    this.hash = hash;
  }

  /** What the document says, before it was checked. */
  static final class Content {
    long version;
    int worldSize;
    JsonNode shardConfig = MissingNode.getInstance();
    final List<FileContent> files = new ArrayList<>();
    final SortedMap<Integer, List<PreshardedRead>> reads = new TreeMap<>();
    final SortedMap<Integer, String> checksums = new TreeMap<>();
  }

  /** One element of {@code files}. */
  static final class FileContent {
    String filename = "";
    int writerRank = UnitId.ABSENT;
    boolean listsRanks;
    final List<Integer> ranks = new ArrayList<>();
    boolean common;
    final List<StoredTensor> tensors = new ArrayList<>();
  }

  /** One element of a file's {@code tensors}. */
  static final class StoredTensor {
    String storedKey = "";
    long size = -1;
    final SortedMap<Integer, List<String>> names = new TreeMap<>();
  }

  /** One element of a rank's reads. */
  private static final class ReadContent {
    private String filename = "";
    private String storedKey = "";
    private String name = "";
    private boolean extra;
  }

  /**
   * Reads and checks a document.
   *
   * @param origin the file's name, for messages
   * @throws CheckpointException (refused) if it is not JSON, lacks a member, is of another version,
   *     uses an unknown hash, names a file that is no plain name, or contradicts itself, with every
   *     contradiction listed
   */
  public static ChecksumJson read(byte[] json, String origin) throws CheckpointException {
    Content content;
    try {
      content = JsonCursor.parse(json, cursor -> new Reader(cursor).read());
    } catch (JsonFormatException e) {
      throw CheckpointException.refused(
          FindingCode.MALFORMED_SIDE_FILE.code(),
          origin,
          "",
          origin
              + " cannot be understood: "
              + e.getMessage()
              + ". Bring the file from where the dump was made, or dump the model again.",
          e);
    }
    for (FileContent file : content.files) {
      PlainName.require(file.filename, origin);
    }
    List<Finding> problems = new ChecksumJsonCheck(content, origin).problems();
    if (!problems.isEmpty()) {
      throw CheckpointException.refused(origin, problems);
    }
    int keyLength = content.files.get(0).tensors.get(0).storedKey.length();
    return new ChecksumJson(json, content, HashKind.ofHexDigits(keyLength).orElseThrow());
  }

  /** SHA-256 of the document as it was read, in hexadecimal. */
  public String digest() {
    return Sha256.hex(json, json.length);
  }

  /** How many ranks the dump is for. */
  public int worldSize() {
    return content.worldSize;
  }

  /** The hash of its keys and sums. */
  public HashKind hash() {
    return hash;
  }

  /** Whether the dump says for which launch it was made; early builds don't. */
  public boolean hasShardConfig() {
    return content.shardConfig.isObject();
  }

  /**
   * A size of the launch that the dump was made for.
   *
   * @param axis {@code tp}, {@code pp}, {@code dp} or {@code ep}
   */
  public OptionalInt shardConfig(String axis) {
    JsonNode size = content.shardConfig.path(axis);
    return size.isInt() && size.intValue() > 0
        ? OptionalInt.of(size.intValue())
        : OptionalInt.empty();
  }

  /**
   * What the dump's directory is called after {@code -sig-}: the first 16 digits of the SHA-1 of
   * the launch's configuration, as Python writes it with sorted keys. Empty where the dump does not
   * say for which launch it was made.
   */
  public Optional<String> signature() {
    return hasShardConfig() ? PythonJson.sha1(content.shardConfig) : Optional.empty();
  }

  /** The weight files, in the document's order. */
  public List<PreshardedFile> files() {
    List<PreshardedFile> files = new ArrayList<>();
    for (FileContent file : content.files) {
      Map<String, Long> sizes = new LinkedHashMap<>();
      file.tensors.forEach(tensor -> sizes.put(tensor.storedKey, tensor.size));
      files.add(new PreshardedFile(file.filename, sizes));
    }
    return files;
  }

  /** What each world rank reads, in the document's order; every rank has an entry. */
  public SortedMap<Integer, List<PreshardedRead>> reads() {
    return Collections.unmodifiableSortedMap(content.reads);
  }

  /** Each world rank's sum, as 16 hexadecimal digits; every rank has an entry. */
  public SortedMap<Integer, String> rankChecksums() {
    return Collections.unmodifiableSortedMap(content.checksums);
  }

  /**
   * The ranks whose sum is not that of their names and keys.
   *
   * @param function the function of {@link #hash()}
   */
  public List<Integer> ranksWithWrongSums(Function<byte[], byte[]> function) {
    List<Integer> wrong = new ArrayList<>();
    content.reads.forEach(
        (rank, reads) -> {
          if (!RankChecksum.of(function, reads).equals(content.checksums.get(rank))) {
            wrong.add(rank);
          }
        });
    return wrong;
  }

  /**
   * The document with other names: in both lists, and with the sums of all ranks whose reads
   * change. Ranks whose reads stay keep their sum as it is.
   *
   * @param function the function of {@link #hash()}
   */
  public byte[] rewritten(Renaming renaming, Function<byte[], byte[]> function) {
    Map<Integer, Map<String, Optional<String>>> targets = new HashMap<>();
    Map<Integer, String> sums = new HashMap<>();
    content.reads.forEach(
        (rank, reads) -> {
          Map<String, Optional<String>> ofRank = new HashMap<>();
          List<PreshardedRead> after = new ArrayList<>();
          for (PreshardedRead read : reads) {
            Optional<String> target = renaming.target(rank, read);
            ofRank.put(read.name(), target);
            target.ifPresent(
                name ->
                    after.add(
                        new PreshardedRead(read.filename(), read.storedKey(), name, read.extra())));
          }
          targets.put(rank, ofRank);
          sums.put(
              rank,
              after.equals(reads) ? content.checksums.get(rank) : RankChecksum.of(function, after));
        });
    return JsonRewrite.rewrite(json, copy -> new Writer(copy, content, targets, sums).document());
  }

  /** Reads the document. */
  private static final class Reader {
    private final JsonCursor cursor;
    private final Content content = new Content();
    private final Map<String, String> known = new HashMap<>();

    Reader(JsonCursor cursor) {
      this.cursor = cursor;
    }

    Content read() throws JsonFormatException {
      List<String> missing =
          new ArrayList<>(List.of("version", "world_size", FILES, RANK_TO_READS, RANK_CHECKSUMS));
      cursor.object(
          "the document",
          member -> {
            missing.remove(member);
            switch (member) {
              case "version" -> content.version = cursor.integer(member, VERSION, VERSION);
              case "world_size" ->
                  content.worldSize = (int) cursor.integer(member, 1, MAX_WORLD_SIZE);
              case SHARD_CONFIG -> shardConfig();
              case FILES -> cursor.array(FILES, () -> content.files.add(file()));
              case RANK_TO_READS ->
                  cursor.object(RANK_TO_READS, rank -> content.reads.put(rank(rank), reads()));
              case RANK_CHECKSUMS ->
                  cursor.object(
                      RANK_CHECKSUMS,
                      rank -> content.checksums.put(rank(rank), cursor.string("a rank's sum")));
              default -> cursor.skip();
            }
          });
      if (!missing.isEmpty()) {
        throw new JsonFormatException("'" + missing.get(0) + "' is missing", null);
      }
      return content;
    }

    private void shardConfig() throws JsonFormatException {
      if (!cursor.isObject()) {
        cursor.skip();
        return;
      }
      content.shardConfig = cursor.tree();
    }

    private FileContent file() throws JsonFormatException {
      FileContent file = new FileContent();
      cursor.object(
          "a file",
          member -> {
            switch (member) {
              case FILENAME -> file.filename = once(cursor.string(FILENAME));
              case "writer_rank" -> file.writerRank = rank();
              case "is_common" -> file.common = cursor.bool(member);
              case "rank_list" -> {
                if (cursor.isNull()) {
                  cursor.skip();
                } else {
                  file.listsRanks = true;
                  cursor.array(member, () -> file.ranks.add(rank()));
                }
              }
              case TENSORS -> cursor.array(TENSORS, () -> file.tensors.add(tensor()));
              default -> cursor.skip();
            }
          });
      return file;
    }

    private StoredTensor tensor() throws JsonFormatException {
      StoredTensor tensor = new StoredTensor();
      cursor.object(
          "a tensor",
          member -> {
            switch (member) {
              case STORED_KEY -> tensor.storedKey = once(cursor.string(STORED_KEY));
              case "size" -> tensor.size = cursor.integer(member, 0, Long.MAX_VALUE);
              case RANK_TO_NAMES ->
                  cursor.object(RANK_TO_NAMES, rank -> tensor.names.put(rank(rank), names()));
              default -> cursor.skip();
            }
          });
      if (tensor.storedKey.isEmpty() || tensor.size < 0) {
        throw cursor.failure("the tensor before has no '" + STORED_KEY + "' or no 'size'");
      }
      return tensor;
    }

    private List<String> names() throws JsonFormatException {
      List<String> names = new ArrayList<>();
      cursor.array("a rank's names", () -> names.add(once(cursor.string("a name"))));
      return names;
    }

    private List<PreshardedRead> reads() throws JsonFormatException {
      List<PreshardedRead> reads = new ArrayList<>();
      cursor.array("a rank's reads", () -> reads.add(readEntry()));
      return reads;
    }

    private PreshardedRead readEntry() throws JsonFormatException {
      ReadContent read = new ReadContent();
      cursor.object(
          "a read",
          member -> {
            switch (member) {
              case FILENAME -> read.filename = once(cursor.string(member));
              case STORED_KEY -> read.storedKey = once(cursor.string(member));
              case NAME -> read.name = once(cursor.string(member));
              case IS_EXTRA -> read.extra = cursor.bool(member);
              default -> cursor.skip();
            }
          });
      if (read.filename.isEmpty() || read.storedKey.isEmpty() || read.name.isEmpty()) {
        throw cursor.failure(
            "the read before lacks '" + FILENAME + "', '" + STORED_KEY + "' or '" + NAME + "'");
      }
      return new PreshardedRead(read.filename, read.storedKey, read.name, read.extra);
    }

    private int rank() throws JsonFormatException {
      return (int) cursor.integer("a rank", 0, MAX_WORLD_SIZE - 1L);
    }

    private int rank(String member) throws JsonFormatException {
      if (!member.matches("0|[1-9][0-9]{0,6}")) {
        throw cursor.failure("'" + member + "' is no rank");
      }
      return Integer.parseInt(member);
    }

    /** Names and keys come once a rank and list; one copy of each is kept. */
    private String once(String text) {
      return known.computeIfAbsent(text, same -> same);
    }
  }

  /** Copies the document with other names and sums. */
  private static final class Writer {
    private final JsonRewrite copy;
    private final Content content;
    private final Map<Integer, Map<String, Optional<String>>> targets;
    private final Map<Integer, String> sums;

    Writer(
        JsonRewrite copy,
        Content content,
        Map<Integer, Map<String, Optional<String>>> targets,
        Map<Integer, String> sums) {
      this.copy = copy;
      this.content = content;
      this.targets = targets;
      this.sums = sums;
    }

    void document() throws IOException {
      copy.object(
          member -> {
            switch (member) {
              case FILES -> {
                copy.name(member);
                copy.array(this::file);
              }
              case RANK_TO_READS -> {
                copy.name(member);
                copy.object(this::reads);
              }
              case RANK_CHECKSUMS -> {
                copy.name(member);
                copy.object(this::sum);
              }
              default -> copy.copy(member);
            }
          });
    }

    private void file() throws IOException {
      copy.object(
          member -> {
            if (member.equals(TENSORS)) {
              copy.name(member);
              copy.array(this::tensor);
            } else {
              copy.copy(member);
            }
          });
    }

    private void tensor() throws IOException {
      copy.object(
          member -> {
            if (member.equals(RANK_TO_NAMES)) {
              copy.name(member);
              copy.object(this::names);
            } else {
              copy.copy(member);
            }
          });
    }

    private void names(String rank) throws IOException {
      copy.name(rank);
      copy.array(
          () -> {
            Optional<String> target = target(rank, copy.string());
            if (target.isPresent()) {
              copy.write(target.get());
            }
          });
    }

    private void reads(String rank) throws IOException {
      Iterator<PreshardedRead> reads = content.reads.get(Integer.parseInt(rank)).iterator();
      copy.name(rank);
      copy.array(
          () -> {
            Optional<String> target = target(rank, reads.next().name());
            if (target.isEmpty()) {
              copy.skip();
              return;
            }
            copy.object(
                member -> {
                  if (member.equals(NAME)) {
                    copy.name(member);
                    copy.write(target.get());
                  } else {
                    copy.copy(member);
                  }
                });
          });
    }

    private void sum(String rank) throws IOException {
      copy.name(rank);
      copy.write(sums.get(Integer.parseInt(rank)));
    }

    private Optional<String> target(String rank, String name) {
      return targets.get(Integer.parseInt(rank)).get(name);
    }
  }
}
