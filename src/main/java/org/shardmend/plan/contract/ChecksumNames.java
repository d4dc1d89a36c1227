package org.shardmend.plan.contract;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.shardmend.checkpoint.Finding;
import org.shardmend.checkpoint.ScannedShard;
import org.shardmend.checkpoint.SmallReads;
import org.shardmend.checkpoint.UnitId;
import org.shardmend.checkpoint.sidefile.PreshardedFile;
import org.shardmend.checkpoint.sidefile.PreshardedRead;
import org.shardmend.checkpoint.sidefile.PreshardedTensors;
import org.shardmend.plan.NamedTensor;
import org.shardmend.plan.UnitPlan;
import org.shardmend.rules.RuleSet;
import org.shardmend.safetensors.Header;
import org.shardmend.safetensors.TensorEntry;
import org.shardmend.safetensors.UnknownDtypes;

/**
 * The names stand in the checksum.json of a presharded dump: a rank's reads. The headers hold
 * content keys, which prove without a look at the bytes that two names stand for one tensor.
 */
final class ChecksumNames implements UnitNames {
  private static final long serialVersionUID = 1L;

  private final ArrayList<PreshardedRead> reads;
  private final LinkedHashMap<String, PreshardedFile> files;

  private ChecksumNames(
      ArrayList<PreshardedRead> reads, LinkedHashMap<String, PreshardedFile> files) {
    this.reads = reads;
    this.files = files;
  }

  /**
   * The names of one rank.
   *
   * @param directory where the files are within the checkpoint: {@code ""} or {@code "TP-…/"}
   * @param described what checksum.json says of each file, by the name that it gives
   */
  static UnitNames of(
      String directory, List<PreshardedRead> reads, Map<String, PreshardedFile> described) {
    ArrayList<PreshardedRead> located = new ArrayList<>(reads.size());
    LinkedHashMap<String, PreshardedFile> files = new LinkedHashMap<>();
    for (PreshardedRead read : reads) {
      String shard = directory + read.filename();
      located.add(new PreshardedRead(shard, read.storedKey(), read.name(), read.extra()));
      files.put(shard, described.get(read.filename()));
    }
    return new ChecksumNames(located, files);
  }

  @Override
  public List<Finding> problems(List<ScannedShard> shards) {
    List<Finding> problems = new ArrayList<>();
    for (ScannedShard scanned : shards) {
      String name = scanned.shard().name();
      problems.addAll(PreshardedTensors.check(files.get(name), name, scanned.header()));
    }
    return problems;
  }

  @Override
  public List<Finding> findings(List<ScannedShard> shards, SmallReads reads) {
    return List.of();
  }

  @Override
  public List<NamedTensor> tensors(List<ScannedShard> shards) {
    Map<String, ScannedShard> byName = new HashMap<>();
    shards.forEach(shard -> byName.put(shard.shard().name(), shard));
    List<NamedTensor> tensors = new ArrayList<>(reads.size());
    for (PreshardedRead read : reads) {
      Optional<Header> header =
          Optional.ofNullable(byName.get(read.filename())).map(ScannedShard::header);
      header
          .flatMap(h -> h.find(read.storedKey()))
          .ifPresent(entry -> tensors.add(tensor(read, header.get().dataBegin(), entry)));
    }
    return tensors;
  }

  private static NamedTensor tensor(PreshardedRead read, long dataBegin, TensorEntry entry) {
    return new NamedTensor(
        read.filename(),
        read.name(),
        entry.dtype(),
        entry.shape(),
        dataBegin + entry.begin(),
        dataBegin + entry.end(),
        read.storedKey(),
        read.extra());
  }

  @Override
  public UnitPlan plan(
      UnitId unit, List<ScannedShard> shards, RuleSet rules, UnknownDtypes dtypes) {
    return UnitPlan.ofNamesElsewhere(unit, shards, tensors(shards), rules);
  }
}
