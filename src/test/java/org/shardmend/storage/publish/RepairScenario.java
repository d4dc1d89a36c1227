package org.shardmend.storage.publish;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.shardmend.storage.ShardWriter;
import org.shardmend.storage.Store;
import org.shardmend.storage.bytes.Sha256;
import org.shardmend.storage.lock.TargetLock;
import org.shardmend.storage.protocol.DurableFile;
import org.shardmend.storage.protocol.StepListener;

/** A repair into another directory, as the job does it: stages three shards and publishes them. */
public final class RepairScenario {
  static final String ARGUMENTS = "{\"rules\":[\"mla-kv-b-proj\"]}";
  static final String FINGERPRINT = "f1";

  private static final int HEADER_BYTES = 64;

  private final Store store;
  private final String target;
  private final StepListener listener;
  private final Staging staging;

  public RepairScenario(Store store, String target, StepListener listener) {
    this.store = store;
    this.target = target;
    this.listener = listener;
    this.staging = Staging.of(store, target, ARGUMENTS, FINGERPRINT);
  }

  Staging staging() {
    return staging;
  }

  static Map<String, byte[]> shards() {
    Map<String, byte[]> shards = new TreeMap<>();
    for (int rank = 0; rank < 3; rank++) {
      byte[] content = new byte[600 + rank];
      new Random(rank).nextBytes(content);
      shards.put("model-rank-%d-part-0.safetensors".formatted(rank), content);
    }
    return shards;
  }

  /** All that the target is to hold. */
  public static Map<String, byte[]> expected() {
    Map<String, byte[]> files = shards();
    files.put("config.json", "{}".getBytes(java.nio.charset.StandardCharsets.UTF_8));
    files.put("tokenizer/vocab.txt", new byte[] {'a', '\n'});
    files.put("shardmend.json", manifest().toJson());
    return files;
  }

  private static Manifest manifest() {
    List<ManifestShard> shards = new ArrayList<>();
    shards()
        .forEach(
            (name, content) ->
                shards.add(
                    new ManifestShard(
                        name, content.length, headerDigest(content), ManifestShard.NOT_READ)));
    return new Manifest("r1", "0.1.0", "file:/source", FINGERPRINT, List.of(), "none", shards);
  }

  private static String headerDigest(byte[] content) {
    return Sha256.hex(Arrays.copyOf(content, HEADER_BYTES));
  }

  /**
   * Runs the repair, or resumes it.
   *
   * @return the shards that were written
   */
  public List<String> run() throws IOException {
    try (TargetLock lock = TargetLock.acquire(store, TargetLock.beside(target), "r1")) {
      Publish publish = new Publish(store, staging, lock, listener);
      if (publish.recover()) {
        return List.of();
      }
      if (store.stat(target).isPresent()) {
        throw new TargetExistsException(store.locate(target));
      }
      listener.reached("job: open");
      staging.open();
      List<String> written = new ArrayList<>();
      publish.run("r1", new Work(written));
      return written;
    }
  }

  private final class Work implements ResultWork<IOException> {
    private final List<String> written;

    Work(List<String> written) {
      this.written = written;
    }

    @Override
    public List<String> seals() {
      return List.of("config.json");
    }

    @Override
    public void writeServekit() {}

    @Override
    public void writeWeights() throws IOException {
      written.addAll(writeShards());
    }

    @Override
    public void writeSideFiles() throws IOException {
      listener.reached("job: side files");
      RepairScenario.this.writeSideFiles();
    }

    @Override
    public void writeIndex() {}

    @Override
    public void writeSeals() {}

    @Override
    public void verify() {}

    @Override
    public void writeManifest() {}

    @Override
    public void placeAudit() throws IOException {
      put(staging.outPath(".shardmend/audit/rows"), new byte[] {7});
    }
  }

  private List<String> writeShards() throws IOException {
    Map<Integer, ShardReceipt> completed = staging.completed();
    List<String> written = new ArrayList<>();
    int number = 0;
    for (Map.Entry<String, byte[]> shard : shards().entrySet()) {
      if (!completed.containsKey(number)) {
        listener.reached("job: write " + shard.getKey());
        put(staging.workPath(number, 100 + number), shard.getValue());
        listener.reached("job: promote " + shard.getKey());
        staging.promote(receipt(number, shard.getKey(), shard.getValue()));
        written.add(shard.getKey());
      }
      number++;
    }
    return written;
  }

  static ShardReceipt receipt(int number, String name, byte[] content) {
    return new ShardReceipt(
        number,
        100 + number,
        name,
        content.length,
        HEADER_BYTES,
        headerDigest(content),
        ManifestShard.NOT_READ,
        "COPY",
        content.length,
        content.length,
        "");
  }

  private void writeSideFiles() throws IOException {
    for (Map.Entry<String, byte[]> file : expected().entrySet()) {
      if (!shards().containsKey(file.getKey())) {
        put(staging.outPath(file.getKey()), file.getValue());
      }
    }
  }

  private void put(String path, byte[] content) throws IOException {
    store.makeDirectories(DurableFile.parentOf(path));
    DurableFile.deleteIfPresent(store, path);
    try (ShardWriter writer = store.create(path)) {
      writer.write(ByteBuffer.wrap(content));
      if (path.contains("/work/")) {
        writer.sync();
      }
      writer.complete();
    }
  }
}
