package org.shardmend.report;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SortedMap;
import org.shardmend.plan.Action;
import org.shardmend.plan.ByteSize;

/**
 * What the template prints: texts and drawings, nothing left to be decided. The names of the
 * components are the template's.
 */
record PageModel(
    String title,
    Header header,
    Verdict verdict,
    List<Figure> figures,
    List<Finding> findings,
    List<HeatMap> maps,
    List<Scatter> scatters,
    List<Histogram> histograms,
    String shardsTitle,
    List<ShardLine> shards,
    String changesTitle,
    String changesNote,
    List<ChangeLine> changes,
    List<ProofLine> proofs,
    List<Fact> facts) {
  /** A page shows all shards in a table, if they are so few; else the slowest. */
  private static final int SHARD_LINES = 40;

  private static final int SLOWEST = 20;

  record Header(String outcome, String outcomeText, String checkpoint, String when) {}

  record Figure(String value, String name) {}

  record Finding(String severity, String code, String shard, String message) {}

  record ShardLine(
      String name,
      String ranks,
      String strategy,
      String size,
      String changes,
      String time,
      String rate) {}

  record ChangeLine(
      String action,
      String before,
      String removed,
      String added,
      String after,
      String ranks,
      String tensors,
      String size,
      String rule,
      String reason) {}

  record ProofLine(
      String action, String tensors, String size, String equal, String different, String checked) {}

  record Fact(String name, String value) {}

  static PageModel of(ReportData data) {
    ReportData.Run run = data.run();
    boolean hasShards = !data.shards().isEmpty();
    return new PageModel(
        PageText.text(run.checkpoint()),
        new Header(
            PageText.text(run.outcome()),
            PageText.text(run.outcome().replace('-', ' ')),
            PageText.text(run.checkpoint()),
            PageText.time(run.started())),
        Verdict.of(data),
        figures(data),
        data.findings().stream().map(PageModel::finding).toList(),
        maps(data.shards()),
        hasShards ? List.of(Scatter.of(data.shards())) : List.of(),
        hasShards ? histograms(data.shards()) : List.of(),
        shardsTitle(data.shards().size()),
        shardLines(data.shards()),
        PageText.count(data.changedNames(), "changed name"),
        changesNote(data),
        data.changes().stream().map(PageModel::changeLine).toList(),
        data.proofs().stream().map(PageModel::proofLine).toList(),
        facts(run));
  }

  private static List<Figure> figures(ReportData data) {
    ReportData.Run run = data.run();
    List<Figure> figures = new ArrayList<>();
    figures.add(new Figure(PageText.number(run.tensors()), "tensors"));
    for (Action action : Action.values()) {
      long count = run.count(action.name());
      if (action != Action.KEEP && (count > 0 || action == Action.RENAME)) {
        figures.add(new Figure(PageText.number(count), word(action)));
      }
    }
    figures.add(new Figure(PageText.number(data.shards().size()), "shards"));
    figures.add(new Figure(ByteSize.format(run.bytesRead()), "read"));
    figures.add(new Figure(ByteSize.format(run.bytesWritten()), "written"));
    figures.add(new Figure(PageText.duration(run.time()), "time"));
    return figures;
  }

  private static String word(Action action) {
    return switch (action) {
      case KEEP -> "kept";
      case RENAME -> "renamed";
      case DROP -> "dropped";
      case REFUSE -> "refused";
    };
  }

  private static Finding finding(ReportData.Finding finding) {
    return new Finding(
        PageText.text(finding.severity()),
        PageText.text(finding.code()),
        PageText.text(finding.shard()),
        PageText.text(finding.message()));
  }

  private static List<HeatMap> maps(List<ReportData.Shard> shards) {
    SortedMap<ReportData.Rank, Long> bytes = HeatMap.sums(shards, ReportData.Shard::targetBytes);
    if (bytes.size() < 2) {
      return List.of();
    }
    return List.of(
        HeatMap.of(
            "Changes per rank", HeatMap.sums(shards, ReportData.Shard::changes), PageText::number),
        HeatMap.of("Bytes per rank", bytes, ByteSize::format),
        HeatMap.of(
            "Bytes written per rank",
            HeatMap.sums(shards, ReportData.Shard::bytesWritten),
            ByteSize::format));
  }

  private static List<Histogram> histograms(List<ReportData.Shard> shards) {
    return List.of(
        Histogram.of(
            "Shards by size",
            shards.stream().map(shard -> (double) shard.targetBytes()).toList(),
            bytes -> ByteSize.format(Math.round(bytes))),
        Histogram.of(
            "Shards by time",
            shards.stream().map(ReportData.Shard::seconds).toList(),
            PageText::tick));
  }

  private static String shardsTitle(int count) {
    return count <= SHARD_LINES
        ? PageText.count(count, "shard")
        : "The %d slowest of %s".formatted(SLOWEST, PageText.count(count, "shard"));
  }

  private static List<ShardLine> shardLines(List<ReportData.Shard> shards) {
    if (shards.size() <= SHARD_LINES) {
      return shards.stream()
          .sorted(Comparator.comparing(ReportData.Shard::name, NaturalOrder.INSTANCE))
          .map(PageModel::shardLine)
          .toList();
    }
    return shards.stream()
        .sorted(
            Comparator.comparingDouble(ReportData.Shard::seconds)
                .reversed()
                .thenComparing(ReportData.Shard::name))
        .limit(SLOWEST)
        .map(PageModel::shardLine)
        .toList();
  }

  private static ShardLine shardLine(ReportData.Shard shard) {
    long moved = shard.bytesRead() + shard.bytesWritten();
    return new ShardLine(
        PageText.text(shard.name()),
        PageText.ranks(List.of(shard.rank())),
        PageText.text(shard.strategy()),
        ByteSize.format(shard.targetBytes()),
        PageText.number(shard.changes()),
        PageText.seconds(shard.seconds()),
        shard.seconds() > 0 ? ByteSize.format(Math.round(moved / shard.seconds())) + "/s" : "");
  }

  private static String changesNote(ReportData data) {
    return data.changedNames() > data.changes().size()
        ? "The first %s are shown; the audit has them all: scripts/shardmend audit DIR --run %s"
            .formatted(PageText.number(data.changes().size()), PageText.text(data.run().id()))
        : "";
  }

  private static ChangeLine changeLine(ReportData.Change change) {
    NameChange name = NameChange.of(change.tensor(), change.target());
    return new ChangeLine(
        PageText.text(change.action()),
        PageText.text(name.before()),
        PageText.text(name.removed()),
        PageText.text(name.added()),
        PageText.text(name.after()),
        PageText.ranks(change.ranks()),
        PageText.number(change.tensors()),
        ByteSize.format(change.bytes()),
        PageText.text(change.rule()),
        change.action().equals(Action.RENAME.name()) ? "" : PageText.text(change.reason()));
  }

  private static ProofLine proofLine(ReportData.Proof proof) {
    return new ProofLine(
        PageText.text(proof.action()),
        PageText.number(proof.tensors()),
        ByteSize.format(proof.bytes()),
        PageText.number(proof.equal()),
        PageText.number(proof.different()),
        switch (proof.verified()) {
          case "full" -> "header and data";
          case "header" -> "header";
          default -> "nothing";
        });
  }

  private static List<Fact> facts(ReportData.Run run) {
    List<Fact> facts = new ArrayList<>();
    facts.add(new Fact("Run", PageText.text(run.id())));
    facts.add(new Fact("Checkpoint", PageText.text(run.checkpoint())));
    facts.add(new Fact("Output", run.output().isEmpty() ? "none" : PageText.text(run.output())));
    facts.add(new Fact("Started", PageText.time(run.started())));
    facts.add(new Fact("Finished", PageText.time(run.finished())));
    facts.add(new Fact("Rules", PageText.text(String.join(", ", run.rules()))));
    facts.add(
        new Fact(
            "Fingerprint of the plan",
            run.fingerprint().isEmpty() ? "none" : PageText.text(run.fingerprint())));
    facts.add(new Fact("Shardmend", PageText.text(run.version())));
    facts.add(new Fact("Spark application", PageText.text(run.sparkAppId())));
    facts.add(new Fact("User", PageText.text(run.user())));
    return facts;
  }
}
