package org.shardmend.report;

/**
 * What the drawings share. Sizes are pixels: drawings are never scaled, so labels stay readable.
 */
final class Svg {
  /** The widest that a drawing may be: it fits on a phone. */
  static final int WIDTH = 312;

  private Svg() {}

  /** To a tenth of a pixel: more digits only make the page longer. */
  static double round(double pixels) {
    return Math.round(pixels * 10) / 10.0;
  }
}
