package org.shardmend.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.shardmend.checkpoint.layout.Layout;
import org.shardmend.checkpoint.sidefile.HashKind;
import org.shardmend.cli.text.Printable;
import org.shardmend.job.files.GenerateAction;
import org.shardmend.job.files.Locations;
import org.shardmend.job.spark.DriverHadoop;
import org.shardmend.job.spark.JobException;
import org.shardmend.job.spark.Progress;
import org.shardmend.plan.ByteSize;
import org.shardmend.storage.Location;
import org.shardmend.trial.Engine;
import org.shardmend.trial.Fault;
import org.shardmend.trial.NameStyle;
import org.shardmend.trial.Trial;
import org.shardmend.trial.TrialSettings;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.TypeConversionException;

/** {@code shardmend generate}: a checkpoint for trials. Starts no Spark. */
@Command(
    name = "generate",
    description = "Write a made-up checkpoint, broken in a chosen way, for trials.",
    footer = {
      "",
      "Examples:",
      "  shardmend generate /tmp/broken --tp 4 --pp 2 --bytes 100MB --fault alias-only",
      "  shardmend generate /tmp/huge --sparse --tp 4 --pp 8 --bytes 1500GB --max-shard-bytes 5GiB"
    })
final class GenerateCommand extends ShardmendCommand {
  @Parameters(paramLabel = "DIR", description = "Where to write it: a free name.")
  private String directory;

  @Option(
      names = "--tp",
      paramLabel = "N",
      description = "Tensor-parallel ranks (${DEFAULT-VALUE}).")
  private int tp = 1;

  @Option(names = "--pp", paramLabel = "N", description = "Pipeline stages (${DEFAULT-VALUE}).")
  private int pp = 1;

  @Option(
      names = "--ep",
      paramLabel = "N",
      description = "Expert-parallel ranks (${DEFAULT-VALUE}).")
  private int ep = 1;

  @Option(
      names = "--layers",
      paramLabel = "N",
      description = "Layers of the model (${DEFAULT-VALUE}).")
  private int layers = 16;

  @Option(
      names = "--bytes",
      paramLabel = "SIZE",
      converter = Size.class,
      description = "About how much data in all: 100MB, 1500GB, 2GiB.")
  private long bytes = 16_000_000;

  @Option(
      names = "--max-shard-bytes",
      paramLabel = "SIZE",
      converter = Size.class,
      description = "Start a new part of a rank before this size; no limit by default.")
  private long maxShardBytes = Long.MAX_VALUE;

  @Option(
      names = "--fault",
      paramLabel = "FAULT",
      converter = FaultName.class,
      description =
          "alias-only (default), both-same, both-differ, mixed, other-part or clean: the names that"
              + " are saved.")
  private Fault fault = Fault.ALIAS_ONLY;

  @Option(
      names = "--format",
      paramLabel = "LAYOUT",
      converter = LayoutName.class,
      description = "sharded_state (default), presharded or huggingface.")
  private Layout layout = Layout.SHARDED_STATE;

  @Option(names = "--fp8", description = "FP8 weights with their scales.")
  private boolean fp8;

  @Option(names = "--pure-mla", description = "MLA in every layer, instead of in every fourth.")
  private boolean pureMla;

  @Option(names = "--tied-embeddings", description = "The output head is the embedding.")
  private boolean tied;

  @Option(
      names = "--long-names",
      description = "The linear-attention parameters' names as recent SGLang has them.")
  private boolean longNames;

  @Option(
      names = "--sha1",
      description = "The hash of early presharded dumps, instead of xxh3_128.")
  private boolean sha1;

  @Option(names = "--vllm", description = "As vLLM saves it, instead of SGLang.")
  private boolean vllm;

  @Option(
      names = "--sparse",
      description = "Headers only, the data as holes: terabytes that take a few megabytes.")
  private boolean sparse;

  @Option(names = "--seed", paramLabel = "N", description = "Other seeds give other bytes.")
  private long seed;

  @Option(
      names = "--expected",
      paramLabel = "FILE",
      description = "Write the healthy model's expected state here, for 'verify'.")
  private String expected = "";

  @Override
  CommandResult run(Progress progress) throws JobException {
    Location target = Locations.parse(directory, DriverHadoop.configuration());
    Trial trial = new GenerateAction(settings(), target, expected, progress).execute();
    ObjectNode document = object();
    document.put("checkpoint", trial.checkpoint().toString());
    document.put("ranks", trial.ranks());
    document.put("shards", trial.shards());
    document.put("tensors", trial.tensors());
    document.put("bytes", trial.shardBytes());
    return CommandResult.done(
        document,
        List.of(
            "Wrote %s: %,d ranks, %,d shards, %,d tensors, %s"
                .formatted(
                    Printable.of(trial.checkpoint().toString()),
                    trial.ranks(),
                    trial.shards(),
                    trial.tensors(),
                    ByteSize.format(trial.shardBytes()))));
  }

  private TrialSettings settings() throws JobException {
    try {
      return TrialSettings.builder()
          .tp(tp)
          .pp(pp)
          .ep(ep)
          .layers(layers)
          .bytes(bytes)
          .maxShardBytes(maxShardBytes)
          .fault(fault)
          .layout(layout)
          .fp8(fp8)
          .hybrid(!pureMla)
          .tiedEmbeddings(tied)
          .linearAttention(longNames ? NameStyle.LONG : NameStyle.SHORT)
          .hash(sha1 ? HashKind.SHA1 : HashKind.XXH3_128)
          .engine(vllm ? Engine.VLLM : Engine.SGLANG)
          .sparse(sparse)
          .seed(seed)
          .build();
    } catch (IllegalArgumentException e) {
      throw JobException.usage("bad-settings", e.getMessage(), e);
    }
  }

  /** Reads sizes such as {@code 5GiB}. */
  static final class Size implements ITypeConverter<Long> {
    @Override
    public Long convert(String text) {
      try {
        return ByteSize.parse(text);
      } catch (IllegalArgumentException e) {
        throw new TypeConversionException(e.getMessage());
      }
    }
  }

  private static final class FaultName implements ITypeConverter<Fault> {
    @Override
    public Fault convert(String text) {
      return Fault.of(text)
          .orElseThrow(() -> unknown("fault", text, Stream.of(Fault.values()).map(Fault::id)));
    }
  }

  private static final class LayoutName implements ITypeConverter<Layout> {
    @Override
    public Layout convert(String text) {
      Optional<Layout> found =
          Stream.of(Layout.values())
              .filter(layout -> layout.id().equals(text.toLowerCase(Locale.ROOT)))
              .findFirst();
      return found.orElseThrow(
          () -> unknown("layout", text, Stream.of(Layout.values()).map(Layout::id)));
    }
  }

  private static TypeConversionException unknown(String what, String text, Stream<String> known) {
    return new TypeConversionException(
        "'%s' is no %s; there are %s"
            .formatted(text, what, known.collect(Collectors.joining(", "))));
  }
}
