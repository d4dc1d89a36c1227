package org.shardmend.plan.contract;

import org.shardmend.checkpoint.layout.Loader;
import org.shardmend.safetensors.Shape;

/** What becomes of a stored shape that is not the parameter's, as each loader copies it. */
enum ShapeFit {
  /** The loader stops: a dimension is larger, or there are more of them. */
  TOO_LARGE(ContractCode.SHAPE_TOO_LARGE),
  /** The loader stops for another reason. */
  REFUSED(ContractCode.SHAPE_DIFFERS),
  /** The loader fills a part of the parameter, and leaves the rest as it was made. */
  NARROWED(ContractCode.SHAPE_NARROWED),
  /** The loader repeats the values until they fill the parameter. */
  BROADCAST(ContractCode.SHAPE_BROADCAST);

  private final ContractCode code;

  ShapeFit(ContractCode code) {
    this.code = code;
  }

  ContractCode code() {
    return code;
  }

  /** How {@code stored} goes into a parameter of another shape. */
  static ShapeFit of(Loader loader, Shape stored, Shape parameter) {
    return switch (loader.otherShape()) {
      case REFUSED -> isLarger(stored, parameter) ? TOO_LARGE : REFUSED;
      case FILLED_IN_PART ->
          isLarger(stored, parameter)
              ? TOO_LARGE
              : stored.rank() == parameter.rank() ? NARROWED : REFUSED;
      case COPIED -> copied(stored, parameter);
    };
  }

  /** The parameter is narrowed from the left, and then the values are broadcast from the right. */
  private static ShapeFit copied(Shape stored, Shape parameter) {
    if (stored.rank() > parameter.rank()) {
      return TOO_LARGE;
    }
    boolean narrowed = false;
    long[] left = parameter.toArray();
    for (int i = 0; i < stored.rank(); i++) {
      if (stored.dimension(i) < left[i]) {
        left[i] = stored.dimension(i);
        narrowed = true;
      }
    }
    int offset = left.length - stored.rank();
    for (int i = 0; i < stored.rank(); i++) {
      if (stored.dimension(i) != left[offset + i] && stored.dimension(i) != 1) {
        return isLarger(stored, parameter) ? TOO_LARGE : REFUSED;
      }
    }
    return narrowed ? NARROWED : BROADCAST;
  }

  /** Whether a broadcast of {@code stored} to {@code parameter} repeats nothing. */
  static boolean haveTheSameValues(Shape stored, Shape parameter) {
    int offset = parameter.rank() - stored.rank();
    for (int i = 0; i < parameter.rank(); i++) {
      if (parameter.dimension(i) != (i < offset ? 1 : stored.dimension(i - offset))) {
        return false;
      }
    }
    return true;
  }

  private static boolean isLarger(Shape stored, Shape parameter) {
    if (stored.rank() != parameter.rank()) {
      return stored.rank() > parameter.rank();
    }
    for (int i = 0; i < stored.rank(); i++) {
      if (stored.dimension(i) > parameter.dimension(i)) {
        return true;
      }
    }
    return false;
  }
}
