package org.shardmend.safetensors;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Where the data of the kept tensors goes.
 *
 * @param begins the new begin of each kept tensor, by its old name; empty when none moves
 * @param spans what is taken over, in the new order
 */
record DataLayout(Map<String, Long> begins, List<Span> spans) {

  /** In the old order, without the dropped; in the reference writer's if that would not align. */
  static DataLayout of(Header source, Map<String, String> renames, Set<String> dropped) {
    List<TensorEntry> kept = new ArrayList<>(source.inOffsetOrder());
    kept.removeIf(tensor -> dropped.contains(tensor.name()));
    if (keepsItsPlace(kept)) {
      return new DataLayout(Map.of(), spans(kept));
    }
    if (!staysAligned(kept)) {
      kept.sort(referenceOrder(renames));
    }
    return new DataLayout(begins(kept), spans(kept));
  }

  private static boolean keepsItsPlace(List<TensorEntry> kept) {
    long end = 0;
    for (TensorEntry tensor : kept) {
      if (tensor.begin() != end) {
        return false;
      }
      end = tensor.end();
    }
    return true;
  }

  /** Whether each tensor that moves up is aligned at its new place. */
  private static boolean staysAligned(List<TensorEntry> kept) {
    long end = 0;
    for (TensorEntry tensor : kept) {
      if (end != tensor.begin() && end % alignment(tensor) != 0) {
        return false;
      }
      end += tensor.bytes();
    }
    return true;
  }

  /**
   * What the begin must be a multiple of, in bytes. Of a type that we do not know, the largest
   * power of two up to 8 that divides an element's size; its size is a multiple of that, too.
   */
  private static int alignment(TensorEntry tensor) {
    return Dtype.of(tensor.dtype())
        .map(Dtype::alignment)
        .orElseGet(() -> (int) Math.min(Long.BYTES, Long.lowestOneBit(elementBytes(tensor))));
  }

  private static long elementBytes(TensorEntry tensor) {
    if (tensor.bytes() == 0) {
      return 1;
    }
    try {
      long elements = tensor.shape().elements();
      return elements > 0 && tensor.bytes() % elements == 0 ? tensor.bytes() / elements : 1;
    } catch (ArithmeticException e) {
      return 1; // Nothing is known of the elements of an unknown type: bytes, then.
    }
  }

  /**
   * The reference writer's: widest type first, the last of {@link Dtype} first among equally wide
   * ones, then by the new name. So each tensor begins where it is aligned. Types that we do not
   * know come last among those that are aligned alike.
   */
  private static Comparator<TensorEntry> referenceOrder(Map<String, String> renames) {
    Comparator<TensorEntry> byAlignment = Comparator.comparingInt(DataLayout::alignment);
    Comparator<TensorEntry> byType =
        Comparator.comparingInt(tensor -> Dtype.of(tensor.dtype()).map(Dtype::ordinal).orElse(-1));
    return byAlignment
        .reversed()
        .thenComparing(byType.reversed())
        .thenComparing(
            tensor -> HeaderEdit.newName(tensor, renames), DataLayout::compareCodePoints);
  }

  /** The order of the UTF-8 bytes, by which the reference compares names. */
  private static int compareCodePoints(String left, String right) {
    int length = Math.min(left.length(), right.length());
    for (int i = 0; i < length; i++) {
      if (left.charAt(i) != right.charAt(i)) {
        return Integer.compare(left.codePointAt(i), right.codePointAt(i));
      }
    }
    return Integer.compare(left.length(), right.length());
  }

  private static Map<String, Long> begins(List<TensorEntry> inNewOrder) {
    Map<String, Long> begins = new HashMap<>();
    long end = 0;
    for (TensorEntry tensor : inNewOrder) {
      begins.put(tensor.name(), end);
      end += tensor.bytes();
    }
    return begins;
  }

  private static List<Span> spans(List<TensorEntry> inNewOrder) {
    List<Span> spans = new ArrayList<>();
    long end = 0;
    for (TensorEntry tensor : inNewOrder) {
      if (tensor.bytes() == 0) {
        continue;
      }
      Span span = new Span(tensor.begin(), tensor.end(), end);
      end += span.bytes();
      int last = spans.size() - 1;
      if (last >= 0 && spans.get(last).sourceEnd() == span.sourceBegin()) {
        Span before = spans.get(last);
        spans.set(last, new Span(before.sourceBegin(), span.sourceEnd(), before.targetBegin()));
      } else {
        spans.add(span);
      }
    }
    return List.copyOf(spans);
  }

  /** Whether the data of some kept tensor lies elsewhere than before. */
  boolean movesData() {
    return !begins.isEmpty();
  }

  /** The kept tensor at its new place. */
  TensorEntry place(TensorEntry tensor) {
    return Optional.ofNullable(begins.get(tensor.name())).map(tensor::movedTo).orElse(tensor);
  }
}
