package org.shardmend.storage.publish;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.shardmend.checkpoint.Listing;
import org.shardmend.storage.FileStatus;
import org.shardmend.storage.ProcessUser;
import org.shardmend.storage.Store;
import org.shardmend.storage.bytes.FileImage;
import org.shardmend.storage.bytes.Sha256;
import org.shardmend.storage.protocol.DurableFile;
import org.shardmend.storage.protocol.JsonDocument;
import org.shardmend.storage.protocol.SiblingName;

/**
 * Where a repair into another directory is built: beside the target, hidden, under a name that the
 * same repair finds again; sentences S1 to S5 of {@code publish.md}. The caller holds the {@link
 * TargetLock}. Tasks only use {@link #workPath}; all else is the driver's.
 *
 * <p>On a store without rename, only receipts and plan are here, and the shards are in the target.
 */
public final class Staging {
  private static final String MARK = Listing.OWN_DIRECTORY + "-";
  private static final int KEY_CHARS = 16;
  private static final Pattern KEY = Pattern.compile("[0-9a-f]{" + KEY_CHARS + "}");
  private static final int MAX_DOCUMENT_BYTES = 1 << 30;

  private final Store store;
  private final String target;
  private final Repair repair;
  private final String path;

  /**
   * What makes two repairs the same.
   *
   * @param arguments everything the user said that changes the result, as canonical text
   * @param fingerprint of the plan
   */
  record Repair(String arguments, String fingerprint) {
    String key() {
      MessageDigest digest = Sha256.start();
      digest.update(arguments.getBytes(StandardCharsets.UTF_8));
      digest.update((byte) 0);
      digest.update(fingerprint.getBytes(StandardCharsets.UTF_8));
      return Sha256.end(digest).substring(0, KEY_CHARS);
    }
  }

  private Staging(Store store, String target, Repair repair) {
    this.store = store;
    this.target = target;
    this.repair = repair;
    this.path = SiblingName.of(target, MARK + repair.key());
  }

  /**
   * The staging of a repair, whether it is there or not.
   *
   * @param target what the result is going to be: an absolute path in the store
   * @param arguments everything the user said that changes the result, as canonical text
   * @param fingerprint of the plan
   */
  public static Staging of(Store store, String target, String arguments, String fingerprint) {
    return new Staging(store, target, new Repair(arguments, fingerprint));
  }

  /** The staging directory. */
  public String path() {
    return path;
  }

  /** What tells this repair from others of the same target: 16 hexadecimal digits. */
  public String key() {
    return repair.key();
  }

  /** What the result is going to be. */
  public String target() {
    return target;
  }

  /**
   * Makes the directory, or finds it again and removes what dead attempts left there.
   *
   * @throws StagingConflictException when there is one of another repair for this target
   * @throws IOException when the store fails
   */
  public void open() throws IOException {
    List<FileStatus> others = others();
    if (!others.isEmpty()) {
      throw new StagingConflictException(
          store.locate(target),
          others.stream().map(other -> store.locate(other.path())).toList(),
          difference(others.get(0)));
    }
    if (store.traits().atomicRename()) {
      store.makeDirectories(workDirectory());
      store.makeDirectories(outDirectory());
    }
    store.makeDirectories(receiptDirectory());
    if (store.stat(argumentsPath()).isEmpty()) {
      DurableFile.write(store, argumentsPath(), JsonDocument.write(repair));
    }
    discardWork();
  }

  /**
   * Requires that nothing is there yet, or what a run of this user made: the name can be worked out
   * by whoever may read the source, and the directory that the target lies in may be anybody's. To
   * be called before anything in it is read.
   *
   * @throws StagingConflictException otherwise
   */
  public void requireOurs() throws IOException {
    for (String directory : List.of(path, workDirectory(), outDirectory(), receiptDirectory())) {
      Optional<FileStatus> found = store.stat(directory);
      if (found.isEmpty()) {
        continue;
      }
      if (!found.get().isDirectory()) {
        throw StagingConflictException.foreign(
            store.locate(path), found.get().name() + " is no directory");
      }
      OptionalLong owner = store.userNumber(directory);
      if (owner.isPresent() && owner.getAsLong() != ProcessUser.current()) {
        throw StagingConflictException.foreign(
            store.locate(path),
            "%s belongs to user number %d, not to %d"
                .formatted(found.get().name(), owner.getAsLong(), ProcessUser.current()));
      }
    }
  }

  /** Removes every staging directory of the target, this repair's too: for {@code --restart}. */
  public void removeAll() throws IOException {
    for (FileStatus other : others()) {
      store.deleteTree(other.path());
    }
    store.deleteTree(path);
  }

  /**
   * Removes the directory, {@code publishing.json} last, which says that the rest is not needed.
   */
  void removePublished() throws IOException {
    for (FileStatus entry : store.list(path)) {
      if (!entry.path().equals(publishingPath())) {
        store.deleteTree(entry.path());
      }
    }
  }

  private List<FileStatus> others() throws IOException {
    String parent = DurableFile.parentOf(path);
    if (store.stat(parent).isEmpty()) {
      return List.of();
    }
    String name = path.substring(path.lastIndexOf('/') + 1);
    String start = name.substring(0, name.length() - KEY_CHARS);
    return store.list(parent).stream()
        .filter(FileStatus::isDirectory)
        .filter(entry -> entry.name().startsWith(start) && !entry.name().equals(name))
        .filter(entry -> KEY.matcher(entry.name().substring(start.length())).matches())
        .toList();
  }

  private String difference(FileStatus other) throws IOException {
    Optional<byte[]> document =
        DurableFile.read(store, argumentsPathIn(other.path()), MAX_DOCUMENT_BYTES);
    if (document.isEmpty()) {
      return "It does not say what it was for.";
    }
    Repair before = JsonDocument.read(document.get(), Repair.class);
    if (before.arguments().equals(repair.arguments())) {
      return "The arguments are the same, but the source or the plan has changed since then.";
    }
    return "It was begun with other arguments: %s, and now they are %s."
        .formatted(before.arguments(), repair.arguments());
  }

  /** S2: removes what attempts left that never were adopted. */
  public void discardWork() throws IOException {
    if (store.stat(workDirectory()).isEmpty()) {
      return;
    }
    for (FileStatus leftover : store.list(workDirectory())) {
      DurableFile.deleteIfPresent(store, leftover.path());
    }
  }

  /**
   * Where one attempt writes a shard. It syncs and completes the file before it returns its
   * receipt.
   *
   * @param number the shard's number in the plan
   * @param attempt unique among all attempts of this run
   */
  public String workPath(int number, long attempt) {
    return workDirectory() + "/" + number + "-" + attempt;
  }

  /** Where a file of the result is built. */
  public String outPath(String name) {
    return outDirectory() + "/" + name;
  }

  /** Where the result is built: a directory that is moved to the target, or else the target. */
  public String outDirectory() {
    return store.traits().atomicRename() ? path + "/out" : target;
  }

  private String workDirectory() {
    return path + "/work";
  }

  String receiptDirectory() {
    return path + "/receipts";
  }

  private String receiptPath(int number) {
    return receiptDirectory() + "/" + number + ".json";
  }

  private String argumentsPath() {
    return argumentsPathIn(path);
  }

  private static String argumentsPathIn(String directory) {
    return directory + "/arguments.json";
  }

  String publishingPath() {
    return path + "/publishing.json";
  }

  /** Where the caller may keep the plan; see {@link #writeDocument}. */
  private String documentPath(String name) {
    return path + "/" + name;
  }

  /**
   * Keeps a document of the caller's beside the receipts, such as {@code plan.json}: whole or not
   * at all.
   */
  public void writeDocument(String name, byte[] content) throws IOException {
    DurableFile.write(store, documentPath(name), content);
  }

  /** A document that {@link #writeDocument} kept. */
  public Optional<byte[]> readDocument(String name) throws IOException {
    return DurableFile.read(store, documentPath(name), MAX_DOCUMENT_BYTES);
  }

  /**
   * Takes the file of the attempt that succeeded: moves it to its place in {@code out/}, over one
   * that has no valid receipt, and writes the receipt (S3). May be tried again when it failed.
   */
  public void promote(ShardReceipt receipt) throws IOException {
    String work = workPath(receipt.number(), receipt.attempt());
    String out = outPath(receipt.name());
    if (store.stat(work).isPresent() || store.stat(out).isEmpty()) {
      store.makeDirectories(DurableFile.parentOf(out));
      DurableFile.deleteIfPresent(store, out);
      store.rename(work, out);
    }
    keep(receipt);
  }

  /**
   * Writes the receipt of a shard that is in its place already: on a store without rename, of a
   * completed upload (O4).
   */
  public void keep(ShardReceipt receipt) throws IOException {
    DurableFile.writeSynced(store, receiptPath(receipt.number()), JsonDocument.write(receipt));
  }

  /**
   * The shards that need not be written again: with receipt, and with the size and the header that
   * it says (S4).
   *
   * @return receipts by the shards' numbers
   * @throws IOException when the store fails
   */
  public SortedMap<Integer, ShardReceipt> completed() throws IOException {
    TreeMap<Integer, ShardReceipt> completed = new TreeMap<>();
    for (ShardReceipt receipt : receipts()) {
      if (isInPlace(receipt)) {
        completed.put(receipt.number(), receipt);
      }
    }
    return completed;
  }

  private List<ShardReceipt> receipts() throws IOException {
    if (store.stat(receiptDirectory()).isEmpty()) {
      return List.of();
    }
    List<ShardReceipt> receipts = new ArrayList<>();
    for (FileStatus file : store.list(receiptDirectory())) {
      if (file.name().endsWith(".json") && isOurs(file)) {
        parse(file).ifPresent(receipts::add);
      }
    }
    return receipts;
  }

  private boolean isOurs(FileStatus file) throws IOException {
    OptionalLong owner = store.userNumber(file.path());
    return file.isFile() && (owner.isEmpty() || owner.getAsLong() == ProcessUser.current());
  }

  /** A receipt that can't be read vouches for nothing: the shard is written again. */
  private Optional<ShardReceipt> parse(FileStatus file) throws IOException {
    Optional<byte[]> content = DurableFile.read(store, file.path(), MAX_DOCUMENT_BYTES);
    if (content.isEmpty()) {
      return Optional.empty();
    }
    try {
      return Optional.of(JsonDocument.read(content.get(), ShardReceipt.class));
    } catch (IOException damaged) {
      return Optional.empty();
    }
  }

  private boolean isInPlace(ShardReceipt receipt) throws IOException {
    Optional<FileStatus> file = store.stat(outPath(receipt.name()));
    return file.isPresent()
        && file.get().isFile()
        && file.get().bytes() == receipt.bytes()
        && receipt.headerBytes() <= receipt.bytes()
        && FileImage.digestOf(store, file.get().path(), receipt.headerBytes())
            .equals(receipt.headerDigest());
  }
}
