package org.shardmend.plan.alias;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.shardmend.rules.NameEdit;
import org.shardmend.rules.RuleExample;

/**
 * How often one edit of names was seen; names that differ in their layers' numbers are one.
 *
 * @param edit the edit, {@link NameEdit#generalised}
 * @param count how many pairs of names it is between, in all load units
 * @param proof the strongest that there is for one of them
 * @param examples a few of them
 */
public record NameEvidence(NameEdit edit, long count, NameProof proof, List<RuleExample> examples)
    implements Serializable {
  private static final int MOST_EXAMPLES = 2;

  /** Copies the list, so that the value can't change. */
  public NameEvidence {
    examples = List.copyOf(examples);
  }

  /** What pairs of names are evidence for, each edit once. */
  public static List<NameEvidence> of(Collection<ProvenPair> pairs) {
    return together(
        pairs.stream()
            .map(
                proven ->
                    new NameEvidence(
                        proven.pair().edit().generalised(),
                        1,
                        proven.proof(),
                        List.of(new RuleExample(proven.pair().from(), proven.pair().to()))))
            .toList());
  }

  /** The evidence of several load units, each edit once, in the order in which they come. */
  public static List<NameEvidence> together(Collection<NameEvidence> evidence) {
    Map<NameEdit, NameEvidence> byEdit = new LinkedHashMap<>();
    evidence.forEach(one -> byEdit.merge(one.edit(), one, NameEvidence::plus));
    return new ArrayList<>(byEdit.values());
  }

  private NameEvidence plus(NameEvidence other) {
    return new NameEvidence(
        edit,
        count + other.count,
        proof.compareTo(other.proof) <= 0 ? proof : other.proof,
        Stream.concat(examples.stream(), other.examples.stream())
            .distinct()
            .limit(MOST_EXAMPLES)
            .toList());
  }
}
