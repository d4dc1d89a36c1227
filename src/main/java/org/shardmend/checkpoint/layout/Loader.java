package org.shardmend.checkpoint.layout;

/**
 * Who reads a checkpoint of one kind. Loaders differ in what they stop at and in what they let
 * pass. Each was read in its own source; the site's page "Findings" names files and revisions.
 */
public enum Loader {
  /** {@code ShardedStateLoader} of SGLang and vLLM. */
  SHARDED_STATE(
      "sharded_state",
      "the sharded_state loaders of SGLang and vLLM",
      UnknownName.STOPS,
      RepeatedName.STOPS,
      OtherShape.COPIED,
      EmptyParameter.LEFT_OUT),
  /** {@code PreshardedModelLoader} as it was before it was merged: keys are SHA-1. */
  PRESHARDED_EARLY(
      "presharded-early",
      "SGLang's presharded loader of early builds (keys of 40 digits)",
      UnknownName.STOPS,
      RepeatedName.OVERWRITES,
      OtherShape.COPIED,
      EmptyParameter.LEFT_OUT),
  /** {@code PreshardedModelLoader} as it was merged: keys are XXH3-128. */
  PRESHARDED_MERGED(
      "presharded-merged",
      "SGLang's presharded loader of merged builds (keys of 32 digits)",
      UnknownName.SKIPPED,
      RepeatedName.OVERWRITES,
      OtherShape.FILLED_IN_PART,
      EmptyParameter.LEFT_OUT),
  /** The loaders of Hugging Face directories, which give their tensors to the model by name. */
  HUGGINGFACE(
      "huggingface",
      "strict loaders of Hugging Face directories",
      UnknownName.STOPS,
      RepeatedName.OVERWRITES,
      OtherShape.REFUSED,
      EmptyParameter.ASKED_FOR);

  /** What becomes of a name that the model does not know. */
  private enum UnknownName {
    STOPS,
    SKIPPED
  }

  /** What becomes of a name that two files of a load unit hold. */
  public enum RepeatedName {
    /** The loader has crossed the name off, and does not know it any more. */
    STOPS,
    /** The tensor that is read later replaces the other, without a word. */
    OVERWRITES
  }

  /** What becomes of a tensor that has another shape than its parameter. */
  public enum OtherShape {
    /** The parameter is narrowed, with a warning, and the values are broadcast. */
    COPIED,
    /** A part of the parameter is filled without a word; the number of dimensions must be equal. */
    FILLED_IN_PART,
    /** The loader stops. */
    REFUSED
  }

  /** What becomes of a parameter without elements, which is in no saved state. */
  private enum EmptyParameter {
    LEFT_OUT,
    ASKED_FOR
  }

  private final String id;
  private final String about;
  private final UnknownName unknownName;
  private final RepeatedName repeatedName;
  private final OtherShape otherShape;
  private final EmptyParameter emptyParameter;

  Loader(
      String id,
      String about,
      UnknownName unknownName,
      RepeatedName repeatedName,
      OtherShape otherShape,
      EmptyParameter emptyParameter) {
    this.id = id;
    this.about = about;
    this.unknownName = unknownName;
    this.repeatedName = repeatedName;
    this.otherShape = otherShape;
    this.emptyParameter = emptyParameter;
  }

  /** The identifier in documents. */
  public String id() {
    return id;
  }

  /** For people: whose loaders they are. */
  public String about() {
    return about;
  }

  /** Whether it leaves a name out that the model does not know, and reads on. */
  public boolean skipsUnknownNames() {
    return unknownName == UnknownName.SKIPPED;
  }

  /** What it does with a name that two files of a load unit hold. */
  public RepeatedName repeatedName() {
    return repeatedName;
  }

  /** What it does with a tensor that has another shape than its parameter. */
  public OtherShape otherShape() {
    return otherShape;
  }

  /** Whether it misses a parameter without elements that no file holds. */
  public boolean asksForEmptyParameters() {
    return emptyParameter == EmptyParameter.ASKED_FOR;
  }
}
