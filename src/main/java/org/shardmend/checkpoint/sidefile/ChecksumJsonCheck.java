package org.shardmend.checkpoint.sidefile;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.shardmend.checkpoint.Finding;
import org.shardmend.checkpoint.FindingCode;
import org.shardmend.checkpoint.IntegerGaps;
import org.shardmend.checkpoint.UnitId;

/**
 * Looks for contradictions within a checksum.json: between its two lists, its ranks and its keys. A
 * dump that has none can be rewritten in both lists alike.
 */
final class ChecksumJsonCheck {
  private static final int MOST_PROBLEMS = 50;
  private static final int SUM_HEX_DIGITS = 16;
  private static final String HEX = "[0-9a-f]+";
  private static final String CURE = " Dump the model again.";

  private final ChecksumJson.Content content;
  private final String origin;
  private final List<Finding> problems = new ArrayList<>();
  private int left;

  ChecksumJsonCheck(ChecksumJson.Content content, String origin) {
    this.content = content;
    this.origin = origin;
  }

  /** Every contradiction, up to a number that a person can still read. */
  List<Finding> problems() {
    checkKeys();
    checkRanks();
    content.files.forEach(this::checkFile);
    if (problems.isEmpty()) {
      checkLists();
    }
    if (left > 0) {
      problems.add(FindingCode.INCONSISTENT_DUMP.finding(origin, "and " + left + " more"));
    }
    return problems;
  }

  private void checkKeys() {
    Set<Integer> lengths = new TreeSet<>();
    Map<String, String> fileOfKey = new HashMap<>();
    Set<String> filenames = new HashSet<>();
    for (ChecksumJson.FileContent file : content.files) {
      if (!filenames.add(file.filename)) {
        contradiction("the file " + file.filename + " is listed twice." + CURE);
      }
      for (ChecksumJson.StoredTensor tensor : file.tensors) {
        boolean hex = tensor.storedKey.matches(HEX);
        lengths.add(hex ? tensor.storedKey.length() : 0);
        String other = fileOfKey.putIfAbsent(tensor.storedKey, file.filename);
        if (other != null) {
          contradiction(
              "the key "
                  + tensor.storedKey
                  + " is stored twice, in "
                  + other
                  + " and in "
                  + file.filename
                  + "."
                  + CURE);
        }
      }
    }
    if (lengths.isEmpty()) {
      contradiction("it lists no tensors." + CURE);
    } else if (lengths.size() > 1 || HashKind.ofHexDigits(lengths.iterator().next()).isEmpty()) {
      problems.add(
          0,
          FindingCode.UNKNOWN_HASH.finding(
              origin,
              "its keys are of a hash that is not known: expected 40 hexadecimal digits (SHA-1) or"
                  + " 32 (XXH3-128), the same for all, found "
                  + lengths.stream()
                      .map(length -> length == 0 ? "something else" : length + " digits")
                      .toList()
                  + ". This dump cannot be repaired."));
    }
  }

  private void checkRanks() {
    for (IntegerGaps.Gap gap :
        IntegerGaps.in(new TreeSet<>(content.reads.keySet()), content.worldSize)) {
      problems.add(
          FindingCode.MISSING_RANK.finding(
              origin,
              "world_size is "
                  + content.worldSize
                  + ", but "
                  + (gap.isSingle() ? "rank " + gap + " reads" : "ranks " + gap + " read")
                  + " nothing."
                  + CURE));
    }
    for (IntegerGaps.Gap gap :
        IntegerGaps.in(new TreeSet<>(content.checksums.keySet()), content.worldSize)) {
      contradiction(
          "there is no sum of " + (gap.isSingle() ? "rank " : "ranks ") + gap + "." + CURE);
    }
    SortedSet<Integer> ranks = new TreeSet<>(content.reads.keySet());
    ranks.addAll(content.checksums.keySet());
    ranks
        .tailSet(content.worldSize)
        .forEach(
            rank ->
                problems.add(
                    FindingCode.RANK_OUTSIDE.finding(
                        origin,
                        "there is a rank "
                            + rank
                            + ", but world_size is "
                            + content.worldSize
                            + "."
                            + CURE)));
    content.checksums.forEach(
        (rank, sum) -> {
          if (sum.length() != SUM_HEX_DIGITS || !sum.matches(HEX)) {
            contradiction(
                "the sum of rank "
                    + rank
                    + " is '"
                    + sum
                    + "', expected 16 hexadecimal digits."
                    + CURE);
          }
        });
  }

  private void checkFile(ChecksumJson.FileContent file) {
    if (file.common == file.listsRanks) {
      contradiction(
          file.filename
              + " is "
              + (file.common ? "common but has" : "not common but has no")
              + " list of ranks."
              + CURE);
      return;
    }
    Set<Integer> ranks =
        file.common
            ? new TreeSet<>(IntStream.range(0, content.worldSize).boxed().toList())
            : new TreeSet<>(file.ranks);
    if (file.writerRank != UnitId.ABSENT && !ranks.contains(file.writerRank)) {
      contradiction(
          file.filename
              + " was written by rank "
              + file.writerRank
              + ", which does not read it."
              + CURE);
    }
    for (ChecksumJson.StoredTensor tensor : file.tensors) {
      if (!tensor.names.keySet().equals(ranks)
          || tensor.names.values().stream().anyMatch(List::isEmpty)) {
        contradiction(
            file.filename
                + " is for "
                + (file.common ? "all ranks" : "ranks " + ranks)
                + ", but its key "
                + tensor.storedKey
                + " has names for ranks "
                + tensor.names.keySet()
                + "."
                + CURE);
      }
    }
  }

  private void checkLists() {
    Map<Integer, Map<String, Place>> listed = new HashMap<>();
    for (ChecksumJson.FileContent file : content.files) {
      for (ChecksumJson.StoredTensor tensor : file.tensors) {
        tensor.names.forEach(
            (rank, names) ->
                names.forEach(
                    name -> {
                      Place place = new Place(file.filename, tensor.storedKey);
                      Place other =
                          listed.computeIfAbsent(rank, r -> new HashMap<>()).put(name, place);
                      if (other != null) {
                        contradiction(
                            "rank "
                                + rank
                                + " has the name "
                                + name
                                + " twice, for "
                                + other
                                + " and for "
                                + place
                                + "."
                                + CURE);
                      }
                    }));
      }
    }
    content.reads.forEach(
        (rank, reads) -> checkReads(rank, reads, listed.getOrDefault(rank, new HashMap<>())));
  }

  private void checkReads(int rank, List<PreshardedRead> reads, Map<String, Place> listed) {
    Set<String> names = new HashSet<>();
    for (PreshardedRead read : reads) {
      Place place = new Place(read.filename(), read.storedKey());
      Place other = listed.remove(read.name());
      if (!names.add(read.name())) {
        contradiction("rank " + rank + " reads the name " + read.name() + " twice." + CURE);
      } else if (other == null) {
        contradiction(
            "rank "
                + rank
                + " reads "
                + read.name()
                + " from "
                + place
                + ", but no file lists that name for it."
                + CURE);
      } else if (!other.equals(place)) {
        contradiction(
            "rank "
                + rank
                + " reads "
                + read.name()
                + " from "
                + place
                + ", but it is listed as "
                + other
                + "."
                + CURE);
      }
    }
    listed.forEach(
        (name, place) ->
            contradiction(
                "rank "
                    + rank
                    + " has the name "
                    + name
                    + " for "
                    + place
                    + ", but does not read it."
                    + CURE));
  }

  private void contradiction(String message) {
    if (problems.size() < MOST_PROBLEMS) {
      problems.add(FindingCode.INCONSISTENT_DUMP.finding(origin, message));
    } else {
      left++;
    }
  }

  /** A key in a file. */
  private record Place(String filename, String storedKey) {
    @Override
    public String toString() {
      return storedKey + " in " + filename;
    }
  }
}
