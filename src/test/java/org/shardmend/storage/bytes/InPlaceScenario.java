package org.shardmend.storage.bytes;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.shardmend.storage.PowerCutStore;
import org.shardmend.storage.ShardWriter;
import org.shardmend.storage.Store;
import org.shardmend.storage.journal.EntryPreparation;
import org.shardmend.storage.journal.Journal;
import org.shardmend.storage.journal.JournalBuilder;
import org.shardmend.storage.journal.StagedEntry;
import org.shardmend.storage.protocol.StepListener;

/**
 * A checkpoint with everything that a repair in place can do to one: two shards whose headers are
 * overwritten, one that is replaced, one that stays, an index that is replaced, a manifest that is
 * added.
 */
public final class InPlaceScenario {
  public static final String LONG_HEADER = "model-rank-0-part-0.safetensors";
  public static final String SHORT_HEADER = "model-rank-1-part-0.safetensors";
  public static final String REPLACED = "model-rank-2-part-0.safetensors";
  public static final String UNTOUCHED = "model-rank-3-part-0.safetensors";
  public static final String INDEX = "model.safetensors.index.json";

  /** Header bytes of {@link #LONG_HEADER}: three sectors, the last one shared with data. */
  public static final int LONG_HEADER_BYTES = 1300;

  private static final int SHORT_HEADER_BYTES = 400;
  private static final int REPLACED_HEADER_BYTES = 200;
  private static final int NEW_REPLACED_HEADER_BYTES = 216;

  private final Store store;
  private final String checkpoint;

  public InPlaceScenario(Store store, String checkpoint) {
    this.store = store;
    this.checkpoint = checkpoint;
  }

  /** What the checkpoint is before. */
  public static Map<String, byte[]> before() {
    Map<String, byte[]> files = new TreeMap<>();
    files.put(LONG_HEADER, shard(1, LONG_HEADER_BYTES, 2100));
    files.put(SHORT_HEADER, shard(2, SHORT_HEADER_BYTES, 900));
    files.put(REPLACED, shard(3, REPLACED_HEADER_BYTES, 700));
    files.put(UNTOUCHED, bytes(4, 300));
    files.put(INDEX, bytes(5, 120));
    files.put("config.json", bytes(6, 50));
    return files;
  }

  /** What it is after. */
  public static Map<String, byte[]> after() {
    Map<String, byte[]> files = new LinkedHashMap<>(before());
    byte[] longHeader = files.get(LONG_HEADER).clone();
    // The first and the last sector of the header differ, the middle one does not.
    Arrays.fill(longHeader, 100, 200, (byte) 'n');
    Arrays.fill(longHeader, 1100, 1200, (byte) 'z');
    files.put(LONG_HEADER, longHeader);
    byte[] shortHeader = files.get(SHORT_HEADER).clone();
    Arrays.fill(shortHeader, 40, 300, (byte) 'm');
    files.put(SHORT_HEADER, shortHeader);
    files.put(REPLACED, shard(13, NEW_REPLACED_HEADER_BYTES, 650));
    files.put(INDEX, bytes(15, 110));
    files.put("shardmend.json", bytes(17, 80));
    return new TreeMap<>(files);
  }

  /** A safetensors file of one tensor, behind metadata that fill the header. */
  private static byte[] shard(int seed, int headerBytes, int length) {
    byte[] file = bytes(seed, length);
    int data = length - headerBytes;
    String start = "{\"__metadata__\":{\"k\":\"";
    String end =
        "\"},\"w\":{\"dtype\":\"U8\",\"shape\":[%d],\"data_offsets\":[0,%d]}}"
            .formatted(data, data);
    char filler = (char) ('a' + seed % 26);
    int filled = headerBytes - 8 - start.length() - end.length();
    String json = start + String.valueOf(filler).repeat(filled) + end;
    ByteBuffer.wrap(file)
        .order(ByteOrder.LITTLE_ENDIAN)
        .putLong(headerBytes - 8L)
        .put(json.getBytes(StandardCharsets.UTF_8));
    return file;
  }

  private static EntryPreparation.Proof proof(byte[] shard, int headerBytes) {
    DigestAlgorithm xxh3 = DigestAlgorithm.XXH3_128;
    ShardDigests digests =
        new ShardDigests(
            xxh3,
            xxh3.digest(Arrays.copyOf(shard, headerBytes)),
            List.of(xxh3.digest(Arrays.copyOfRange(shard, headerBytes, shard.length))));
    return new EntryPreparation.Proof(headerBytes, ShardContent.of(digests));
  }

  private static byte[] bytes(int seed, int length) {
    byte[] bytes = new byte[length];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }

  /** Writes the checkpoint as it is before. */
  public void create() throws IOException {
    store.makeDirectories(checkpoint);
    for (Map.Entry<String, byte[]> file : before().entrySet()) {
      write(checkpoint + "/" + file.getKey(), file.getValue());
    }
  }

  private void write(String path, byte[] content) throws IOException {
    try (ShardWriter writer = store.create(path)) {
      writer.write(ByteBuffer.wrap(content));
      writer.sync();
      writer.complete();
    }
  }

  /** Prepares the whole journal, up to READY. */
  public void prepare(StepListener listener) throws IOException {
    JournalBuilder builder =
        Journal.of(store, checkpoint, listener)
            .begin("r1", CheckpointStamps.take(store, checkpoint));
    builder.adopt(stagePatch(0, LONG_HEADER, LONG_HEADER_BYTES));
    builder.adopt(stagePatch(1, SHORT_HEADER, SHORT_HEADER_BYTES));
    stageReplacement(builder);
    builder.put(INDEX, after().get(INDEX));
    builder.put("shardmend.json", after().get("shardmend.json"));
    builder.ready(1);
  }

  /** Stages the exchange of {@link #REPLACED}. */
  public void stageReplacement(JournalBuilder builder) throws IOException {
    EntryPreparation stage = EntryPreparation.of(store, checkpoint);
    write(stage.replacementPath(2, 7), after().get(REPLACED));
    builder.adopt(
        stage.replacement(
            2,
            7,
            REPLACED,
            proof(before().get(REPLACED), REPLACED_HEADER_BYTES),
            proof(after().get(REPLACED), NEW_REPLACED_HEADER_BYTES)));
  }

  private StagedEntry stagePatch(int number, String name, int headerBytes) throws IOException {
    return EntryPreparation.of(store, checkpoint)
        .patch(
            number,
            40 + number,
            name,
            Arrays.copyOf(before().get(name), headerBytes),
            Arrays.copyOf(after().get(name), headerBytes));
  }

  /** The journal of the checkpoint. */
  public Journal journal() {
    return Journal.of(store, checkpoint, StepListener.NONE);
  }

  /** As {@link PowerCutStore#tree} describes files. */
  public static Map<String, String> digests(Map<String, byte[]> files) {
    Map<String, String> digests = new TreeMap<>();
    files.forEach((name, content) -> digests.put(name, Sha256.hex(content)));
    return digests;
  }
}
