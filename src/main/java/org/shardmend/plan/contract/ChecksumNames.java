package org.shardmend.plan.contract;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.shardmend.checkpoint.Finding;
import org.shardmend.checkpoint.ScannedShard;
import org.shardmend.checkpoint.SmallReads;
import org.shardmend.checkpoint.UnitId;
import org.shardmend.checkpoint.layout.SideFileNames;
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

  private final SideFileNames names;

  /** The names of one rank. */
  ChecksumNames(SideFileNames names) {
    this.names = names;
  }

  @Override
  public List<Finding> problems(List<ScannedShard> shards) {
    List<Finding> problems = new ArrayList<>();
    for (ScannedShard scanned : shards) {
      String name = scanned.shard().name();
      problems.addAll(PreshardedTensors.check(names.files().get(name), name, scanned.header()));
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
    List<NamedTensor> tensors = new ArrayList<>(names.reads().size());
    for (PreshardedRead read : names.reads()) {
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
