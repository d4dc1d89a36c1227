package org.shardmend.report;

import java.util.Comparator;

/** Orders names as people do: {@code layers.2} comes before {@code layers.10}. */
enum NaturalOrder implements Comparator<String> {
  INSTANCE;

  @Override
  public int compare(String left, String right) {
    int l = 0;
    int r = 0;
    while (l < left.length() && r < right.length()) {
      int leftEnd = digitsEnd(left, l);
      int rightEnd = digitsEnd(right, r);
      int order;
      if (leftEnd > l && rightEnd > r) {
        order = compareNumbers(left.substring(l, leftEnd), right.substring(r, rightEnd));
        l = leftEnd;
        r = rightEnd;
      } else {
        order = Character.compare(left.charAt(l++), right.charAt(r++));
      }
      if (order != 0) {
        return order;
      }
    }
    int rest = Integer.compare(left.length() - l, right.length() - r);
    return rest != 0 ? rest : left.compareTo(right);
  }

  private static int digitsEnd(String text, int from) {
    int end = from;
    while (end < text.length() && text.charAt(end) >= '0' && text.charAt(end) <= '9') {
      end++;
    }
    return end;
  }

  private static int compareNumbers(String left, String right) {
    String l = withoutLeadingZeros(left);
    String r = withoutLeadingZeros(right);
    return l.length() == r.length() ? l.compareTo(r) : Integer.compare(l.length(), r.length());
  }

  private static String withoutLeadingZeros(String digits) {
    int from = 0;
    while (from < digits.length() - 1 && digits.charAt(from) == '0') {
      from++;
    }
    return digits.substring(from);
  }
}
