package org.shardmend.storage;

import java.io.IOException;
import java.io.SyncFailedException;
import java.nio.ByteBuffer;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.shardmend.checkpoint.FileEntry;
import org.shardmend.storage.bytes.Sha256;
import org.shardmend.storage.protocol.DurableFile;

/**
 * A file system in memory that knows what a power cut may take from it: any part of what was not
 * synced. What can be lost by itself is a <em>unit</em>:
 *
 * <ul>
 *   <li>each 512-byte sector of each write, and each change of a file's length;
 *   <li>each change of a name in a directory. A rename inside one directory is one unit. Of a
 *       file's rename from one directory to another the two halves are two units, although file
 *       systems with a journal keep them together: POSIX does not say so. Of a directory's they are
 *       one, since a directory cannot have two names.
 * </ul>
 *
 * <p>Syncing a file makes its sectors and length durable, never its name; syncing a directory the
 * names in it, never what they lead to. While it {@linkplain #record records}, the store keeps,
 * before each change, the images that a power cut at this moment could leave.
 */
public final class PowerCutStore implements Store {
  private static final int SECTOR_BYTES = 512;
  private static final int MAX_ENUMERATED_UNITS = 20;

  /** A file or a directory, as what is running sees it, and as the medium holds it. */
  private static final class Node {
    private final long id;
    private final boolean directory;
    private byte[] content = new byte[0];
    private byte[] heldContent = new byte[0];
    private final TreeMap<String, Node> names = new TreeMap<>();
    private final TreeMap<String, Node> heldNames = new TreeMap<>();
    private int mode;

    Node(long id, boolean directory) {
      this.id = id;
      this.directory = directory;
      this.mode = directory ? 0755 : 0644;
    }
  }

  /** A part of a change, in the terms of the medium. */
  private sealed interface Effect permits NameEffect, SectorEffect, LengthEffect {
    Node node();

    void hold();
  }

  private record NameEffect(Node node, String name, Optional<Node> entry) implements Effect {
    @Override
    public void hold() {
      entry.ifPresentOrElse(
          child -> node.heldNames.put(name, child), () -> node.heldNames.remove(name));
    }
  }

  private record SectorEffect(Node node, int offset, ByteBuffer bytes) implements Effect {
    @Override
    public void hold() {
      int end = offset + bytes.remaining();
      if (node.heldContent.length < end) {
        node.heldContent = Arrays.copyOf(node.heldContent, end);
      }
      bytes.duplicate().get(node.heldContent, offset, bytes.remaining());
    }
  }

  private record LengthEffect(Node node, int length) implements Effect {
    @Override
    public void hold() {
      if (node.heldContent.length < length) {
        node.heldContent = Arrays.copyOf(node.heldContent, length);
      }
    }
  }

  private final Node root;
  private final List<List<Effect>> unsynced = new ArrayList<>();
  private final Set<String> failingSyncs = new HashSet<>();
  private long nextId;
  private int recordedPerMoment;
  private final Random random;
  private final LinkedHashMap<String, PowerCutStore> recorded = new LinkedHashMap<>();
  private final List<PowerCutStore> killed = new ArrayList<>();

  public PowerCutStore(long seed) {
    this(new Node(1, true), 2, seed);
  }

  private PowerCutStore(Node root, long nextId, long seed) {
    this.root = root;
    this.nextId = nextId;
    this.random = new Random(seed);
  }

  // What a crash leaves.

  /** From now on, keeps images before each change: at most so many per change. */
  public synchronized void record(int perMoment) {
    recordedPerMoment = perMoment;
    recorded.clear();
    killed.clear();
  }

  /** Ends recording, with the images of this moment. */
  public synchronized List<PowerCutStore> recorded() {
    keepImages();
    recordedPerMoment = 0;
    return List.copyOf(recorded.values());
  }

  /** One image per recorded change of what a killed process leaves: all, but not synced. */
  public synchronized List<PowerCutStore> killed() {
    return List.copyOf(killed);
  }

  /** What a power cut at this moment could leave. */
  public synchronized List<PowerCutStore> images(int atMost) {
    record(atMost);
    return recorded();
  }

  /** The next sync of this path fails, and what was to be synced never reaches the medium. */
  public synchronized void failNextSync(String path) {
    failingSyncs.add(path);
  }

  /** All is durable. */
  public synchronized void settle() {
    unsynced.forEach(unit -> unit.forEach(Effect::hold));
    unsynced.clear();
  }

  private void beforeChange() {
    if (recordedPerMoment > 0) {
      killed.add(copy(unsynced));
      keepImages();
    }
  }

  private void keepImages() {
    for (BitSet kept : subsets(unsynced.size())) {
      List<List<Effect>> survivors = kept.stream().mapToObj(unsynced::get).toList();
      PowerCutStore image = copy(survivors);
      image.settleToMedium();
      recorded.putIfAbsent(image.fingerprint(), image);
    }
  }

  /** All subsets of few units; of many: none, all, all prefixes, all but one, one, and some. */
  private List<BitSet> subsets(int units) {
    List<BitSet> subsets = new ArrayList<>();
    if (units <= MAX_ENUMERATED_UNITS && 1 << units <= recordedPerMoment) {
      for (long bits = 0; bits < 1L << units; bits++) {
        subsets.add(BitSet.valueOf(new long[] {bits}));
      }
      return subsets;
    }
    for (int prefix = 0; prefix <= units; prefix++) {
      BitSet first = new BitSet();
      first.set(0, prefix);
      subsets.add(first);
    }
    for (int single = 0; single < units; single++) {
      BitSet only = new BitSet();
      only.set(single);
      subsets.add(only);
      BitSet others = new BitSet();
      others.set(0, units);
      others.clear(single);
      subsets.add(others);
    }
    while (subsets.size() > recordedPerMoment) {
      subsets.remove(random.nextInt(subsets.size()));
    }
    BitSet all = new BitSet();
    all.set(0, units);
    subsets.add(all);
    subsets.add(new BitSet());
    while (subsets.size() < recordedPerMoment) {
      BitSet some = new BitSet();
      for (int unit = 0; unit < units; unit++) {
        some.set(unit, random.nextBoolean());
      }
      subsets.add(some);
    }
    return subsets;
  }

  /** Another store with the same nodes, and these units still not synced. */
  private PowerCutStore copy(List<List<Effect>> units) {
    IdentityHashMap<Node, Node> copies = new IdentityHashMap<>();
    PowerCutStore copy = new PowerCutStore(copyOf(root, copies), nextId, random.nextLong());
    for (List<Effect> unit : units) {
      copy.unsynced.add(unit.stream().map(effect -> copyOf(effect, copies)).toList());
    }
    return copy;
  }

  private static Node copyOf(Node node, IdentityHashMap<Node, Node> copies) {
    Node known = copies.get(node);
    if (known != null) {
      return known;
    }
    Node copy = new Node(node.id, node.directory);
    copies.put(node, copy);
    copy.content = node.content.clone();
    copy.heldContent = node.heldContent.clone();
    copy.mode = node.mode;
    node.names.forEach((name, child) -> copy.names.put(name, copyOf(child, copies)));
    node.heldNames.forEach((name, child) -> copy.heldNames.put(name, copyOf(child, copies)));
    return copy;
  }

  private static Effect copyOf(Effect effect, IdentityHashMap<Node, Node> copies) {
    Node node = copyOf(effect.node(), copies);
    if (effect instanceof NameEffect names) {
      return new NameEffect(node, names.name(), names.entry().map(child -> copyOf(child, copies)));
    }
    if (effect instanceof SectorEffect sector) {
      return new SectorEffect(node, sector.offset(), sector.bytes());
    }
    return new LengthEffect(node, ((LengthEffect) effect).length());
  }

  /** The machine starts again: what is seen is what the medium holds. */
  private void settleToMedium() {
    settle();
    seeMedium(root);
  }

  private static void seeMedium(Node node) {
    node.content = node.heldContent.clone();
    node.names.clear();
    node.names.putAll(node.heldNames);
    node.names.values().forEach(PowerCutStore::seeMedium);
  }

  /** Equal for equal images, and hardly ever for others. */
  private String fingerprint() {
    StringBuilder text = new StringBuilder();
    describe(root, "", text);
    return text.toString();
  }

  private static void describe(Node node, String path, StringBuilder text) {
    text.append(path).append(' ').append(node.id).append(' ');
    text.append(node.content.length).append(' ').append(Arrays.hashCode(node.content)).append('\n');
    node.names.forEach((name, child) -> describe(child, path + "/" + name, text));
  }

  /** Every file below a directory, by its name relative to it, without what is ours. */
  public synchronized Map<String, String> tree(String directory) {
    Map<String, String> files = new TreeMap<>();
    find(directory).ifPresent(node -> collect(node, "", files));
    return files;
  }

  private static void collect(Node node, String prefix, Map<String, String> files) {
    node.names.forEach(
        (name, child) -> {
          if (prefix.isEmpty() && name.equals(".shardmend")) {
            return;
          }
          if (child.directory) {
            collect(child, prefix + name + "/", files);
          } else {
            files.put(prefix + name, Sha256.hex(child.content));
          }
        });
  }

  // The file system.

  @Override
  public StoreTraits traits() {
    return new StoreTraits(true, true, true, false, true, true);
  }

  @Override
  public Location locate(String path) {
    return Location.ofFile(path);
  }

  private Optional<Node> find(String path) {
    Node node = root;
    for (String part : path.split("/", -1)) {
      if (part.isEmpty()) {
        continue;
      }
      if (node == null || !node.directory) {
        return Optional.empty();
      }
      node = node.names.get(part);
    }
    return Optional.ofNullable(node);
  }

  private Node required(String path) throws NoSuchFileException {
    return find(path).orElseThrow(() -> new NoSuchFileException(path));
  }

  private Node parentOf(String path) throws IOException {
    return requiredDirectory(DurableFile.parentOf(path));
  }

  private Node requiredDirectory(String path) throws IOException {
    Node node = required(path);
    if (!node.directory) {
      throw new NotDirectoryException(path);
    }
    return node;
  }

  private static String nameOf(String path) {
    return path.substring(path.lastIndexOf('/') + 1);
  }

  private FileStatus status(String path, Node node) {
    return new FileStatus(
        path,
        node.directory ? FileEntry.Kind.DIRECTORY : FileEntry.Kind.FILE,
        node.content.length,
        0,
        linksOf(root, node),
        Long.toString(node.id),
        node.mode);
  }

  private static int linksOf(Node directory, Node wanted) {
    int links = 0;
    for (Node child : directory.names.values()) {
      links += (child == wanted ? 1 : 0) + linksOf(child, wanted);
    }
    return links;
  }

  @Override
  public synchronized Optional<FileStatus> stat(String path) {
    return find(path).map(node -> status(path, node));
  }

  @Override
  public synchronized List<FileStatus> list(String directory) throws IOException {
    List<FileStatus> entries = new ArrayList<>();
    requiredDirectory(directory)
        .names
        .forEach((name, node) -> entries.add(status(directory + "/" + name, node)));
    return entries;
  }

  @Override
  public String realPath(String path) {
    return path;
  }

  @Override
  public synchronized RangeReader openForRead(FileStatus file, ReadPattern pattern)
      throws IOException {
    Node node = required(file.path());
    return new RangeReader() {
      @Override
      public Location location() {
        return locate(file.path());
      }

      @Override
      public long size() {
        return node.content.length;
      }

      @Override
      public int read(long position, ByteBuffer into) {
        synchronized (PowerCutStore.this) {
          if (position >= node.content.length) {
            return -1;
          }
          int count = (int) Math.min(into.remaining(), node.content.length - position);
          into.put(node.content, (int) position, count);
          return count;
        }
      }

      @Override
      public void requireUnchanged() {}

      @Override
      public void close() {}
    };
  }

  @Override
  public synchronized ShardWriter create(String path) throws IOException {
    Node parent = parentOf(path);
    if (parent.names.containsKey(nameOf(path))) {
      throw new FileAlreadyExistsException(path);
    }
    beforeChange();
    Node file = new Node(nextId++, false);
    change(List.of(new NameEffect(parent, nameOf(path), Optional.of(file))));
    return new Writer(path, file);
  }

  /** Writes to a node, wherever its name is by now. */
  private final class Writer implements ShardWriter {
    private final String path;
    private final Node file;
    private boolean ended;

    Writer(String path, Node file) {
      this.path = path;
      this.file = file;
    }

    @Override
    public Location location() {
      return locate(path);
    }

    @Override
    public long position() {
      return file.content.length;
    }

    @Override
    public void write(ByteBuffer bytes) {
      synchronized (PowerCutStore.this) {
        beforeChange();
        writeTo(file, file.content.length, bytes);
      }
    }

    @Override
    public void sync() throws IOException {
      syncNode(path, file);
    }

    @Override
    public void complete() {
      ended = true;
    }

    @Override
    public void abort() throws IOException {
      if (!ended) {
        ended = true;
        DurableFile.deleteIfPresent(PowerCutStore.this, path);
      }
    }
  }

  private void writeTo(Node file, int offset, ByteBuffer bytes) {
    int end = offset + bytes.remaining();
    if (end > file.content.length) {
      file.content = Arrays.copyOf(file.content, end);
      unsynced.add(List.of(new LengthEffect(file, end)));
    }
    int at = offset;
    while (bytes.hasRemaining()) {
      int inSector = Math.min(bytes.remaining(), SECTOR_BYTES - at % SECTOR_BYTES);
      byte[] piece = new byte[inSector];
      bytes.get(piece);
      System.arraycopy(piece, 0, file.content, at, inSector);
      unsynced.add(List.of(new SectorEffect(file, at, ByteBuffer.wrap(piece))));
      at += inSector;
    }
  }

  @Override
  public synchronized void writeAt(String path, long offset, ByteBuffer bytes) throws IOException {
    Node file = required(path);
    if (offset + bytes.remaining() > file.content.length) {
      throw new IOException("beyond the end of " + path);
    }
    beforeChange();
    writeTo(file, (int) offset, bytes);
  }

  @Override
  public synchronized void sync(String path) throws IOException {
    syncNode(path, required(path));
  }

  @Override
  public synchronized void syncDirectory(String directory) throws IOException {
    syncNode(directory, requiredDirectory(directory));
  }

  private synchronized void syncNode(String path, Node node) throws IOException {
    beforeChange();
    boolean fails = failingSyncs.remove(path);
    List<List<Effect>> remaining = new ArrayList<>();
    for (List<Effect> unit : unsynced) {
      if (unit.stream().noneMatch(effect -> effect.node() == node)) {
        remaining.add(unit);
      } else if (!fails) {
        unit.forEach(Effect::hold);
      }
    }
    unsynced.clear();
    unsynced.addAll(remaining);
    if (fails) {
      throw new SyncFailedException(path);
    }
  }

  @Override
  public synchronized void makeDirectories(String path) throws IOException {
    if (path.equals("/") || find(path).isPresent()) {
      requiredDirectory(path);
      return;
    }
    makeDirectories(DurableFile.parentOf(path));
    beforeChange();
    change(
        List.of(
            new NameEffect(parentOf(path), nameOf(path), Optional.of(new Node(nextId++, true)))));
  }

  @Override
  public synchronized void rename(String from, String to) throws IOException {
    if (find(to).isPresent()) {
      throw new FileAlreadyExistsException(to);
    }
    move(from, to);
  }

  @Override
  public synchronized void replace(String from, String to) throws IOException {
    if (find(to).isPresent() && required(from) == required(to)) {
      // POSIX: two names of one file, and nothing happens.
      return;
    }
    move(from, to);
  }

  private void move(String from, String to) throws IOException {
    Node node = required(from);
    Node source = parentOf(from);
    Node target = parentOf(to);
    beforeChange();
    Effect added = new NameEffect(target, nameOf(to), Optional.of(node));
    Effect removed = new NameEffect(source, nameOf(from), Optional.empty());
    if (source == target || node.directory) {
      change(List.of(removed, added));
    } else {
      change(List.of(added));
      change(List.of(removed));
    }
  }

  @Override
  public synchronized void link(String existing, String newName) throws IOException {
    Node node = required(existing);
    Node parent = parentOf(newName);
    if (parent.names.containsKey(nameOf(newName))) {
      throw new FileAlreadyExistsException(newName);
    }
    beforeChange();
    change(List.of(new NameEffect(parent, nameOf(newName), Optional.of(node))));
  }

  @Override
  public void cloneFile(String from, String to) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void createExclusive(String path, byte[] content) throws IOException {
    try (ShardWriter writer = create(path)) {
      writer.write(ByteBuffer.wrap(content));
      writer.sync();
      writer.complete();
    }
  }

  @Override
  public synchronized void delete(String path) throws IOException {
    Node node = required(path);
    if (!node.names.isEmpty()) {
      throw new DirectoryNotEmptyException(path);
    }
    beforeChange();
    change(List.of(new NameEffect(parentOf(path), nameOf(path), Optional.empty())));
  }

  @Override
  public synchronized void deleteTree(String path) throws IOException {
    if (find(path).isEmpty()) {
      return;
    }
    for (String name : List.copyOf(required(path).names.keySet())) {
      deleteTree(path + "/" + name);
    }
    delete(path);
  }

  @Override
  public synchronized void setMode(String path, int mode) throws IOException {
    required(path).mode = mode;
  }

  @Override
  public OptionalLong freeBytes(String path) {
    return OptionalLong.empty();
  }

  @Override
  public List<String> preferredHosts(String path) {
    return List.of();
  }

  @Override
  public void close() {}

  private void change(List<Effect> unit) {
    for (Effect effect : unit) {
      if (effect instanceof NameEffect names) {
        names
            .entry()
            .ifPresentOrElse(
                child -> names.node().names.put(names.name(), child),
                () -> names.node().names.remove(names.name()));
      }
    }
    unsynced.add(unit);
  }

  // For tests.

  /** A file with this content, all durable. */
  synchronized void put(String path, byte[] content) throws IOException {
    makeDirectories(DurableFile.parentOf(path));
    createExclusive(path, content);
    settle();
  }

  /** The content of a file. */
  public synchronized byte[] content(String path) throws IOException {
    return required(path).content.clone();
  }
}
