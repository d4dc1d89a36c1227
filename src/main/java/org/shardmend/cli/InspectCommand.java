package org.shardmend.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import org.shardmend.checkpoint.ScannedShard;
import org.shardmend.cli.text.Printable;
import org.shardmend.job.files.Inspection;
import org.shardmend.job.files.Locations;
import org.shardmend.job.spark.DriverHadoop;
import org.shardmend.job.spark.JobException;
import org.shardmend.job.spark.Progress;
import org.shardmend.plan.ByteSize;
import org.shardmend.safetensors.TensorEntry;
import org.shardmend.safetensors.UnknownDtypes;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code shardmend inspect}: the tensors of a shard or of a checkpoint. Starts no Spark. */
@Command(
    name = "inspect",
    description = "List the tensors of a shard or of a whole checkpoint.",
    footer = {
      "",
      "Examples:",
      "  shardmend inspect /lustre/ckpt/kimi-k3/model-pp-0-rank-0-part-0.safetensors",
      "  shardmend inspect /lustre/ckpt/kimi-k3 --json"
    })
final class InspectCommand extends ShardmendCommand {
  @Parameters(paramLabel = "PATH", description = "A shard, or a checkpoint's directory.")
  private String path;

  @Option(names = "--pattern", paramLabel = "P", description = "The shards' names, as in 'plan'.")
  private String pattern = "";

  @Option(
      names = "--allow-unknown-dtypes",
      description = "Show tensors of a type that this version doesn't know, too.")
  private boolean allowUnknownDtypes;

  @Override
  CommandResult run(Progress progress) throws JobException {
    Inspection inspection =
        Inspection.of(
            Locations.parse(path, DriverHadoop.configuration()),
            pattern,
            allowUnknownDtypes ? UnknownDtypes.ALLOW : UnknownDtypes.REFUSE);
    ObjectNode document = object();
    document.put("path", inspection.location().toString());
    ArrayNode shards = document.putArray("shards");
    List<String> lines = new ArrayList<>();
    for (ScannedShard shard : inspection.shards()) {
      shards.add(node(shard));
      lines.addAll(text(shard));
    }
    return CommandResult.done(document, lines);
  }

  private static ObjectNode node(ScannedShard scanned) {
    ObjectNode node = object();
    node.put("shard", scanned.shard().name());
    putRank(node, "pp_rank", scanned.unit().ppRank());
    putRank(node, "tp_rank", scanned.unit().tpRank());
    node.put("bytes", scanned.shard().bytes());
    node.put("header_bytes", scanned.header().dataBegin());
    node.put("header_digest", scanned.headerDigest());
    scanned
        .header()
        .metadata()
        .ifPresentOrElse(
            metadata -> metadata.forEach(node.putObject("metadata")::put),
            () -> node.putNull("metadata"));
    ArrayNode tensors = node.putArray("tensors");
    for (TensorEntry entry : scanned.header().tensors()) {
      ObjectNode tensor = tensors.addObject();
      tensor.put("name", entry.name());
      tensor.put("dtype", entry.dtype());
      ArrayNode shape = tensor.putArray("shape");
      for (long dimension : entry.shape().toArray()) {
        shape.add(dimension);
      }
      tensor.put("begin", entry.begin());
      tensor.put("end", entry.end());
    }
    return node;
  }

  private static List<String> text(ScannedShard scanned) {
    List<String> lines = new ArrayList<>();
    lines.add(
        "%s  %s, header %s, %,d tensors"
            .formatted(
                Printable.of(scanned.shard().name()),
                ByteSize.format(scanned.shard().bytes()),
                ByteSize.format(scanned.header().dataBegin()),
                scanned.header().tensors().size()));
    for (TensorEntry entry : scanned.header().inOffsetOrder()) {
      lines.add(
          "  %-8s %-22s %12s  %s"
              .formatted(
                  entry.dtype(),
                  entry.shape(),
                  ByteSize.format(entry.bytes()),
                  Printable.of(entry.name())));
    }
    return lines;
  }
}
