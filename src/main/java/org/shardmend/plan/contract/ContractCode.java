package org.shardmend.plan.contract;

/** How a load unit can break its loader's contract, with the identifiers that documents use. */
public enum ContractCode {
  /** A stored name that the model does not expect, where the loader stops at such names. */
  UNEXPECTED_TENSOR("unexpected-tensor"),
  /** A name stored twice for one rank: the loader stops, or the later one overwrites. */
  DUPLICATE_TENSOR("duplicate-tensor"),
  /** Expected names that no file holds: the loader stops at the end. */
  MISSING_TENSOR("missing-tensor"),
  /** A stored size that is larger than the parameter's, or more dimensions: the engine raises. */
  SHAPE_TOO_LARGE("shape-too-large"),
  /** A stored size that is smaller: the loader fills a part of the parameter. */
  SHAPE_NARROWED("shape-narrowed"),
  /** Fewer dimensions than the parameter has: the loader repeats the values, silently. */
  SHAPE_BROADCAST("shape-broadcast"),
  /** Another shape that the loader stops at, though it is not larger. */
  SHAPE_DIFFERS("shape-differs"),
  /** Another type than the parameter's: the engine casts, silently. */
  DTYPE_CAST("dtype-cast"),
  /** A name that one TP rank of a stage has and another has not. */
  SIBLING_DIFFERS("sibling-differs"),
  /** A name that a rule would change. */
  ALIAS("alias");

  private final String id;

  ContractCode(String id) {
    this.id = id;
  }

  /** The identifier in documents. */
  public String id() {
    return id;
  }
}
