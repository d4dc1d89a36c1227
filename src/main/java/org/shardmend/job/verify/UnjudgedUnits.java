package org.shardmend.job.verify;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.shardmend.checkpoint.Finding;
import org.shardmend.checkpoint.FindingCode;
import org.shardmend.checkpoint.UnitId;
import org.shardmend.checkpoint.expected.LaunchRanks;

/**
 * The load units of which an expected state says nothing: no process of that launch reads them, or
 * the expectation of a rank was lost.
 *
 * @param launch the ranks of the launch
 * @param receipts what was found of every unit
 * @param partial whether the user said that the expectation is not of every rank
 */
record UnjudgedUnits(
    LaunchRanks launch, List<ContractStage.Receipt> receipts, PartialExpectation partial) {

  /** Adds a fault or a finding of each. */
  void sort(List<Finding> faults, List<Finding> findings) {
    for (ContractStage.Receipt receipt : receipts) {
      if (receipt.judgement() != ContractStage.Judgement.JUDGED) {
        sort(receipt, faults, findings);
      }
    }
  }

  /** Those that no process of the launch reads. */
  Set<UnitId> notRead() {
    return receipts.stream()
        .filter(this::isNotRead)
        .map(receipt -> receipt.summary().unit())
        .collect(Collectors.toSet());
  }

  private boolean isNotRead(ContractStage.Receipt receipt) {
    return receipt.judgement() != ContractStage.Judgement.JUDGED
        && launch.isBeyond(
            receipt.summary().unit(),
            receipt.judgement() == ContractStage.Judgement.REPEATS_OTHERS);
  }

  private void sort(ContractStage.Receipt receipt, List<Finding> faults, List<Finding> findings) {
    UnitId unit = receipt.summary().unit();
    if (isNotRead(receipt)) {
      findings.add(
          FindingCode.RANK_NOT_READ.finding(
              "",
              "%s: the launch that this is expected by has no such rank, so that nothing reads its files, which were not judged. Move them elsewhere."
                  .formatted(unit.label())));
      return;
    }
    String message =
        "no expectation for %s: its %,d tensors were not judged"
            .formatted(unit.label(), receipt.tensors());
    switch (partial) {
      case ACCEPTED -> findings.add(FindingCode.NO_EXPECTATION.finding("", message + "."));
      case REFUSED ->
          faults.add(
              Finding.fault(
                  FindingCode.NO_EXPECTATION.code(),
                  "",
                  "",
                  message
                      + ". Give the expected state of every rank, or --partial-expectation to judge"
                      + " those that it speaks of"));
    }
  }
}
