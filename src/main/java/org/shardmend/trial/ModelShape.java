package org.shardmend.trial;

/**
 * The sizes of a model, as one rank sees them. They follow the proportions of the large hybrid
 * models, scaled down with the hidden size.
 *
 * @param hidden width of the residual stream
 * @param heads attention heads of one rank
 * @param headDim width of a head
 * @param ropeDim width of a head's rotary part
 * @param queryRank width of the compressed query
 * @param keyValueRank width of the compressed keys and values
 * @param vocabulary rows of the embedding on one rank
 * @param experts routed experts of the model
 * @param localExperts routed experts on one rank
 * @param expertWidth a routed expert's inner width, on one rank
 * @param sharedWidth the shared expert's inner width, on one rank
 */
record ModelShape(
    long hidden,
    long heads,
    long headDim,
    long ropeDim,
    long queryRank,
    long keyValueRank,
    long vocabulary,
    long experts,
    long localExperts,
    long expertWidth,
    long sharedWidth) {

  private static final long[] HIDDEN_SIZES = {
    7168, 5120, 4096, 3072, 2048, 1536, 1024, 768, 512, 384, 256, 192, 128, 96, 64, 48, 32, 16
  };

  /** All that is not a routed expert takes at most this share of the bytes, if it can. */
  private static final int DENSE_SHARE = 3;

  /**
   * The largest shape whose dense part leaves enough of the bytes to the experts, or else the
   * smallest one. The experts take up the rest.
   */
  static ModelShape fitting(TrialSettings settings) {
    ModelShape dense = withoutExperts(settings, HIDDEN_SIZES[0]);
    long denseBytes = new Model(settings, dense).savedBytes();
    for (int i = 1; i < HIDDEN_SIZES.length && denseBytes > settings.bytes() / DENSE_SHARE; i++) {
      dense = withoutExperts(settings, HIDDEN_SIZES[i]);
      denseBytes = new Model(settings, dense).savedBytes();
    }
    return dense.withExpertBytes(settings, Math.max(0, settings.bytes() - denseBytes));
  }

  private static ModelShape withoutExperts(TrialSettings settings, long hidden) {
    int tp = settings.tp();
    long headDim = Math.min(128, Math.max(8, hidden / 32));
    long experts = roundUp(Math.min(384, Math.max(4, hidden / 16)), settings.ep());
    return new ModelShape(
        hidden,
        Math.max(1, Math.min(64, hidden / 8) / tp),
        headDim,
        headDim / 2,
        Math.min(1536, Math.max(8, hidden / 4)),
        Math.min(512, Math.max(8, hidden / 8)),
        Math.max(8, Math.min(163_840, 24 * hidden) / tp),
        experts,
        experts / settings.ep(),
        0,
        Math.max(1, Math.min(2048, hidden / 4) / tp));
  }

  private static long roundUp(long value, long step) {
    return (value + step - 1) / step * step;
  }

  /** With experts that take up about {@code bytes} over all ranks and layers. */
  private ModelShape withExpertBytes(TrialSettings settings, long bytes) {
    int elementBytes = settings.fp8() ? ElementType.F8_E4M3.bytes() : ElementType.BF16.bytes();
    long bytesPerWidth =
        3 * localExperts * hidden * elementBytes * settings.tp() * settings.layers();
    long width = Math.max(1, Math.round((double) bytes / bytesPerWidth));
    return new ModelShape(
        hidden,
        heads,
        headDim,
        ropeDim,
        queryRank,
        keyValueRank,
        vocabulary,
        experts,
        localExperts,
        width,
        sharedWidth);
  }

  /** Width of all heads of a rank together. */
  long headsWidth() {
    return heads * headDim;
  }
}
