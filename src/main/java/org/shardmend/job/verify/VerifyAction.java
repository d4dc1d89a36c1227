package org.shardmend.job.verify;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.shardmend.checkpoint.Finding;
import org.shardmend.checkpoint.FindingCode;
import org.shardmend.checkpoint.Severity;
import org.shardmend.checkpoint.UnitId;
import org.shardmend.checkpoint.UnitSummary;
import org.shardmend.checkpoint.expected.LaunchRanks;
import org.shardmend.checkpoint.layout.Checkpoint;
import org.shardmend.checkpoint.layout.DiscoveryOptions;
import org.shardmend.checkpoint.layout.HeaderFindings;
import org.shardmend.checkpoint.layout.Loader;
import org.shardmend.job.files.CheckpointAccess;
import org.shardmend.job.files.Discoveries;
import org.shardmend.job.plan.ExpectedUnits;
import org.shardmend.job.plan.WrappedNames;
import org.shardmend.job.spark.JobException;
import org.shardmend.job.spark.SparkJob;
import org.shardmend.job.spark.StorageFailures;
import org.shardmend.plan.contract.NamedUnit;
import org.shardmend.rules.RuleSet;
import org.shardmend.storage.Location;
import org.shardmend.storage.Store;
import org.shardmend.storage.publish.Manifest;

/**
 * Reads a checkpoint and says what is wrong with it: the format's rules, and the loader's contract.
 * Without an expected state it compares the ranks with each other, because in one pipeline stage
 * all TP ranks hold the same names and types, and takes every name that an active rule would change
 * for a fault.
 */
public final class VerifyAction {
  private final SparkJob job;
  private final VerifyRequest request;
  private final CheckpointAccess access;

  /** An action on the request's checkpoint, on {@code job}'s executors. */
  public VerifyAction(SparkJob job, VerifyRequest request) {
    this.job = job.apart();
    this.request = request;
    this.access = new CheckpointAccess(request.plan().checkpoint(), job.hadoop());
  }

  /**
   * Verifies.
   *
   * @throws JobException USAGE when a path holds no checkpoint, REFUSED when a repair in place is
   *     open, FAILED when something can't be read; what is wrong with the checkpoint is returned
   */
  public VerifyResult execute() throws JobException {
    Optional<ExpectedUnits> expected = request.expectation().units(job, request.plan());
    Checkpoint checkpoint;
    try {
      checkpoint = Discoveries.discover(job, access, discovery(expected));
    } catch (JobException e) {
      if (e.kind() != JobException.Kind.REFUSED || e.problems().isEmpty()) {
        throw e;
      }
      return unreadable(e);
    }
    Loader loader = checkpoint.layout().loader();
    RuleSet rules = request.plan().rulesFor(checkpoint.layout().kind());
    InactiveFamilies off =
        InactiveFamilies.besides(request.plan().rules(), checkpoint.layout().kind());
    List<NamedUnit> units = NamedUnit.of(checkpoint);
    List<ContractStage.Receipt> receipts =
        ContractStage.run(
            job,
            access,
            units,
            new ContractStage.Standard(loader, rules, off, expected),
            request.plan().dtypes());
    List<Finding> faults = new ArrayList<>();
    List<Finding> findings = new ArrayList<>();
    faults.addAll(checkpoint.layout().wrongSums());
    receipts.stream().flatMap(receipt -> receipt.faults().stream()).distinct().forEach(faults::add);
    Set<UnitId> notRead = Set.of();
    if (expected.isPresent()) {
      LaunchRanks launch = new LaunchRanks(expected.get().ranks(), checkpoint);
      launch.withoutFiles().forEach(ranks -> faults.add(unitMissing(ranks)));
      UnjudgedUnits unjudged = new UnjudgedUnits(launch, receipts, request.partialExpectation());
      unjudged.sort(faults, findings);
      notRead = unjudged.notRead();
      boolean isMet =
          faults.isEmpty() && findings.stream().noneMatch(FindingCode.NO_EXPECTATION::isOf);
      for (Finding oddity : checkpoint.oddities()) {
        if (isMet) {
          findings.add(harmless(oddity));
        } else {
          faults.add(oddity);
        }
      }
    } else {
      faults.addAll(
          SiblingStage.run(job, access, units, summaries(receipts), request.plan().dtypes()));
    }
    findings.addAll(findings(checkpoint, receipts));
    Optional<Manifest> manifest = manifest();
    if (manifest.isEmpty()) {
      findings.removeIf(FindingCode.CHECKSUM_LIST::isOf);
    }
    long tensors = receipts.stream().mapToLong(ContractStage.Receipt::tensors).sum();
    DigestCoverage coverage = DigestCoverage.NOTHING_READ;
    SliceCount slices = SliceCount.NONE;
    if (request.depth() == VerifyRequest.Depth.FULL) {
      if (manifest.isEmpty()) {
        unreadableManifest().ifPresent(faults::add);
      }
      WholeRead read = new WholeCheck(job, access, request, checkpoint, manifest, notRead).run();
      faults.addAll(read.faults());
      findings.addAll(read.findings());
      slices = read.slices();
      coverage = request.against().isPresent() ? DigestCoverage.all(tensors) : read.coverage();
    }
    if (request.against().isPresent()) {
      faults.addAll(against(request.against().get(), checkpoint, rules));
    }
    findings.stream().filter(FindingCode::stopsLoaders).forEach(faults::add);
    findings.removeIf(FindingCode::stopsLoaders);
    return new VerifyResult(
        access.location(),
        Optional.of(loader),
        checkpoint.units().size(),
        checkpoint.shards().size(),
        tensors,
        faults,
        findings,
        coverage,
        slices,
        NameCures.of(receipts.stream().map(ContractStage.Receipt::cures).toList()),
        job.bytesRead());
  }

  /** The note of a repair; without one, lists of checksums are of the files as they are. */
  private Optional<Manifest> manifest() throws JobException {
    try (Store store = access.open()) {
      return Manifest.read(store, access.location().path());
    } catch (IOException e) {
      throw StorageFailures.toJobException(e);
    }
  }

  /**
   * A note that is there and can't be read is a fault: without it nothing says what the bytes were.
   */
  private Optional<Finding> unreadableManifest() throws JobException {
    try (Store store = access.open()) {
      boolean present = store.stat(access.location().path() + "/" + Manifest.NAME).isPresent();
      return present
          ? Optional.of(
              Finding.fault(
                  "manifest-damaged",
                  "",
                  "",
                  Manifest.NAME
                      + " is not what a repair writes, so its digests can't be compared; use"
                      + " --against SOURCE, or remove the file if nothing of Shardmend's wrote it"))
          : Optional.empty();
    } catch (IOException e) {
      throw StorageFailures.toJobException(e);
    }
  }

  private static List<UnitSummary> summaries(List<ContractStage.Receipt> receipts) {
    return receipts.stream().map(ContractStage.Receipt::summary).toList();
  }

  /** Where an expected state is given, it decides, and not what savers usually leave. */
  private DiscoveryOptions discovery(Optional<ExpectedUnits> expected) {
    DiscoveryOptions options = request.plan().discovery();
    return expected.isPresent() ? options.notingOddities() : options;
  }

  /** What no saver leaves behind, in a checkpoint that loads all the same. */
  private static Finding harmless(Finding oddity) {
    return new Finding(
        oddity.code(),
        Severity.WARNING,
        oddity.shard(),
        "the expected state is met and the engine loads this, but it is odd: " + oddity.message());
  }

  private static List<Finding> findings(
      Checkpoint checkpoint, List<ContractStage.Receipt> receipts) {
    List<Finding> findings = new ArrayList<>(checkpoint.findings());
    findings.addAll(HeaderFindings.besidesSiblings(checkpoint, summaries(receipts)));
    receipts.stream()
        .flatMap(receipt -> receipt.findings().stream())
        .distinct()
        .forEach(findings::add);
    checkpoint
        .layout()
        .wrongTotal(summaries(receipts).stream().mapToLong(UnitSummary::bytes).sum())
        .ifPresent(findings::add);
    findings.addAll(
        WrappedNames.findings(receipts.stream().map(ContractStage.Receipt::wrapped).toList()));
    SkippedNames.finding(receipts.stream().map(ContractStage.Receipt::skipped).toList())
        .ifPresent(findings::add);
    return findings;
  }

  private VerifyResult unreadable(JobException refusal) {
    List<Finding> faults = refusal.problems();
    return new VerifyResult(
        access.location(),
        Optional.empty(),
        0,
        0,
        0,
        faults,
        List.of(),
        DigestCoverage.NOTHING_READ,
        SliceCount.NONE,
        NameCures.none(),
        job.bytesRead());
  }

  private static Finding unitMissing(UnitId ranks) {
    return Finding.fault(
        "unit-missing",
        "",
        "",
        "%s is expected, and the checkpoint has no files for it".formatted(ranks.label()));
  }

  private List<Finding> against(Location source, Checkpoint checkpoint, RuleSet rules)
      throws JobException {
    CheckpointAccess sourceAccess = new CheckpointAccess(source, job.hadoop());
    Checkpoint before = Discoveries.discover(job, sourceAccess, request.plan().discovery());
    return AgainstStage.run(
        job,
        sourceAccess,
        NamedUnit.of(before),
        access,
        NamedUnit.of(checkpoint),
        rules,
        request.plan().dtypes(),
        request.depth());
  }
}
