package org.shardmend.plan.alias;

import java.io.Serializable;
import org.shardmend.rules.NameEdit;

/**
 * Two names that seem to stand for one tensor.
 *
 * @param from the name that a load unit holds
 * @param to the name that it should have
 */
public record NamePair(String from, String to) implements Serializable {

  /** What turns one into the other. */
  public NameEdit edit() {
    return NameEdit.between(from, to);
  }
}
