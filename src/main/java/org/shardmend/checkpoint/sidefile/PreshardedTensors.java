package org.shardmend.checkpoint.sidefile;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.shardmend.checkpoint.CheckpointException;
import org.shardmend.checkpoint.Finding;
import org.shardmend.checkpoint.FindingCode;
import org.shardmend.safetensors.DisplayName;
import org.shardmend.safetensors.Header;
import org.shardmend.safetensors.TensorEntry;

/** Finds in the files of a presharded dump what checksum.json says is there. */
public final class PreshardedTensors {

  /**
   * What a rank reads, and where it lies.
   *
   * @param read the line of checksum.json
   * @param entry the tensor in its file, under its stored key
   */
  public record Located(PreshardedRead read, TensorEntry entry) {}

  private PreshardedTensors() {}

  /**
   * The tensors of one rank, in the order of its reads.
   *
   * @param headers the headers of the files that it reads, by the name that checksum.json gives
   * @throws CheckpointException (refused) if a key is in none of them, with every one listed
   */
  public static List<Located> locate(List<PreshardedRead> reads, Map<String, Header> headers)
      throws CheckpointException {
    List<Located> located = new ArrayList<>();
    List<Finding> problems = new ArrayList<>();
    for (PreshardedRead read : reads) {
      Optional<TensorEntry> entry =
          Optional.ofNullable(headers.get(read.filename()))
              .flatMap(header -> header.find(read.storedKey()));
      if (entry.isPresent()) {
        located.add(new Located(read, entry.get()));
      } else {
        problems.add(
            FindingCode.INCONSISTENT_DUMP.finding(
                read.filename(),
                read.filename()
                    + " does not hold the key "
                    + read.storedKey()
                    + " of "
                    + DisplayName.of(read.name())
                    + ". Bring the file from where the dump was made, or dump the model again."));
      }
    }
    if (!problems.isEmpty()) {
      throw CheckpointException.refused(problems.get(0).shard(), problems);
    }
    return located;
  }

  /**
   * Where one file and its description disagree: keys that only one of them has, and other sizes.
   *
   * @param file what checksum.json says of the file
   * @param shard the file's path relative to the checkpoint
   */
  public static List<Finding> check(PreshardedFile file, String shard, Header header) {
    List<Finding> problems = new ArrayList<>();
    file.sizes()
        .forEach(
            (key, size) -> {
              Optional<TensorEntry> entry = header.find(key);
              if (entry.isEmpty()) {
                problems.add(problem(shard, "it does not hold the key " + key));
              } else if (entry.get().bytes() != size) {
                problems.add(
                    problem(
                        shard,
                        "the key "
                            + key
                            + " has "
                            + entry.get().bytes()
                            + " bytes at data offset "
                            + entry.get().begin()
                            + ", but checksum.json says "
                            + size));
              }
            });
    for (TensorEntry entry : header.tensors()) {
      if (!file.sizes().containsKey(entry.name())) {
        problems.add(
            problem(shard, "checksum.json does not list its key " + DisplayName.of(entry.name())));
      }
    }
    return problems;
  }

  private static Finding problem(String shard, String message) {
    return FindingCode.INCONSISTENT_DUMP.finding(
        shard, shard + ": " + message + ". Dump the model again.");
  }
}
