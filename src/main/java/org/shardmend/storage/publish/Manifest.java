package org.shardmend.storage.publish;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.shardmend.checkpoint.Listing;
import org.shardmend.storage.Store;
import org.shardmend.storage.protocol.DurableFile;
import org.shardmend.storage.protocol.JsonDocument;

/**
 * {@code shardmend.json}: what a repaired checkpoint remembers of its repair; sentences M1 and M2
 * of {@code publish.md}.
 *
 * @param format {@link #FORMAT}
 * @param runId the run that made it
 * @param version of Shardmend
 * @param source where the source was, without credentials; the checkpoint itself, of a repair in
 *     place
 * @param fingerprint of the plan
 * @param rules names of the rule families
 * @param digestAlgorithm of the shards' data digests; {@code none} when none were made
 * @param arguments everything the user said that changes the result, as canonical text; empty of a
 *     repair in place, and of versions that did not write it
 * @param sourceState the source's {@link SourceState}, as it was when it was read; empty where
 *     {@code arguments} is
 * @param shards every shard, by name
 */
public record Manifest(
    String format,
    String runId,
    String version,
    String source,
    String fingerprint,
    List<String> rules,
    String digestAlgorithm,
    String arguments,
    String sourceState,
    List<ManifestShard> shards) {

  /** The file's name, at the top of a checkpoint. */
  public static final String NAME = Listing.OWN_NOTE;

  /** What {@link #format} is. */
  public static final String FORMAT = "shardmend/manifest/1";

  /** More than a manifest can have, in bytes. */
  public static final int MAX_BYTES = 1 << 28;

  private static final String SHARDS = "shards";
  private static final String DIGEST = "digest";

  /** Members that came later, which older documents have not. */
  private static final List<String> LATER = List.of("arguments", "source_state");

  /** A manifest of this format, of a repair in place. */
  public Manifest(
      String runId,
      String version,
      String source,
      String fingerprint,
      List<String> rules,
      String digestAlgorithm,
      List<ManifestShard> shards) {
    this(FORMAT, runId, version, source, fingerprint, rules, digestAlgorithm, "", "", shards);
  }

  /**
   * The same, of a repair into another directory.
   *
   * @param said {@link #arguments}
   * @param state {@link #sourceState}
   */
  public Manifest ofRepair(String said, String state) {
    return new Manifest(
        format, runId, version, source, fingerprint, rules, digestAlgorithm, said, state, shards);
  }

  /** Copies the lists. */
  public Manifest {
    rules = List.copyOf(rules);
    shards = List.copyOf(shards);
  }

  /** The document. */
  public byte[] toJson() {
    JsonNode document = JsonDocument.treeOf(this);
    for (JsonNode shard : document.path(SHARDS)) {
      if (shard.path(DIGEST).asText().equals(ManifestShard.NOT_READ)) {
        ((ObjectNode) shard).putNull(DIGEST);
      }
    }
    return JsonDocument.write(document);
  }

  /**
   * Reads a document.
   *
   * @throws IOException when it is not a manifest of a known format; the message says what it is
   */
  public static Manifest parse(byte[] json) throws IOException {
    JsonNode document = JsonDocument.tree(json);
    for (JsonNode shard : document.path(SHARDS)) {
      if (shard instanceof ObjectNode members && shard.path(DIGEST).isNull()) {
        members.put(DIGEST, ManifestShard.NOT_READ);
      }
    }
    if (document instanceof ObjectNode members) {
      LATER.stream().filter(name -> !members.has(name)).forEach(name -> members.put(name, ""));
    }
    Manifest manifest = JsonDocument.fromTree(document, Manifest.class);
    if (!manifest.format.equals(FORMAT)) {
      throw new IOException(
          "%s has the format '%s', but this version knows '%s'."
              .formatted(NAME, manifest.format, FORMAT));
    }
    return manifest;
  }

  /**
   * Reads the manifest of a checkpoint. What is damaged, or was put there by something else, says
   * as little as one of other shards.
   *
   * @param checkpoint an absolute path in the store
   * @return empty when there is none
   * @throws IOException when it can't be read, or is of a format that this version doesn't know
   */
  public static Optional<Manifest> read(Store store, String checkpoint) throws IOException {
    Optional<byte[]> json = DurableFile.read(store, checkpoint + "/" + NAME, MAX_BYTES);
    try {
      return json.isPresent() ? Optional.of(parse(json.get())) : Optional.empty();
    } catch (JsonProcessingException notOurs) {
      return Optional.empty();
    }
  }

  /**
   * Whether this manifest speaks of these shards: the same names, sizes and headers.
   *
   * @param present what the checkpoint holds now; data digests are not looked at
   */
  public boolean matches(Collection<ManifestShard> present) {
    return firstMismatch(present).isEmpty();
  }

  /** Why this manifest does not speak of these shards; empty when it does. */
  public Optional<String> firstMismatch(Collection<ManifestShard> present) {
    Map<String, ManifestShard> known = new HashMap<>();
    shards.forEach(shard -> known.put(shard.name(), shard));
    for (ManifestShard now : present) {
      ManifestShard then = known.remove(now.name());
      if (then == null) {
        return Optional.of("%s is not in %s".formatted(now.name(), NAME));
      }
      if (then.bytes() != now.bytes()) {
        return Optional.of(
            "%s has %d bytes, in %s %d".formatted(now.name(), now.bytes(), NAME, then.bytes()));
      }
      if (!then.headerDigest().equals(now.headerDigest())) {
        return Optional.of("%s has another header than the one in %s".formatted(now.name(), NAME));
      }
    }
    return known.keySet().stream()
        .sorted()
        .findFirst()
        .map(gone -> "%s is in %s, but not there".formatted(gone, NAME));
  }
}
