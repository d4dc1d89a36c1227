package org.shardmend.safetensors;

import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The element types that the safetensors format knows, in the reference writer's order: it lays
 * tensors out by type descending, then by name, so that wider elements come first and every tensor
 * starts aligned.
 *
 * <p>Source: the {@code Dtype} enumeration of the safetensors crate. An entry's name is its token
 * in the header.
 */
public enum Dtype {
  BOOL(8),
  F4(4),
  F6_E2M3(6),
  F6_E3M2(6),
  U8(8),
  I8(8),
  F8_E5M2(8),
  F8_E4M3(8),
  F8_E8M0(8),
  F8_E4M3FNUZ(8),
  F8_E5M2FNUZ(8),
  I16(16),
  U16(16),
  F16(16),
  BF16(16),
  I32(32),
  U32(32),
  F32(32),
  C64(64),
  F64(64),
  I64(64),
  U64(64);

  private static final Map<String, Dtype> BY_TOKEN =
      Arrays.stream(values()).collect(Collectors.toMap(Dtype::name, Function.identity()));

  private final int bits;

  Dtype(int bits) {
    this.bits = bits;
  }

  /** Size of one element, in bits. */
  public int bits() {
    return bits;
  }

  /** Alignment of the first element relative to the start of the data section, in bytes. */
  public int alignment() {
    return Math.max(1, bits / 8);
  }

  /** The type with this token, or empty when the format's version that we know has none. */
  public static Optional<Dtype> of(String token) {
    return Optional.ofNullable(BY_TOKEN.get(token));
  }
}
