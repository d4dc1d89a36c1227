package org.shardmend.plan.alias;

/** What shows that a name stands for another one; the strongest first. */
public enum NameProof {
  /** Both hold the same bytes. */
  BYTES("bytes"),
  /** Of all names of that type and shape no other comes as near, on either side. */
  ONLY_CANDIDATE("only candidate"),
  /** The same change was shown of another name: of another layer, or of another parameter. */
  FAMILY("family");

  private final String label;

  NameProof(String label) {
    this.label = label;
  }

  /** The word in documents and tables. */
  public String label() {
    return label;
  }
}
