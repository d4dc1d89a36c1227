package org.shardmend.checkpoint;

import java.util.Map;
import java.util.Optional;

/**
 * What PyTorch calls the types of safetensors.
 *
 * <p>Source: the type tables of the safetensors package for PyTorch. Types of less than a byte are
 * left out: PyTorch counts their elements in another way, so that the shapes differ.
 */
public final class TorchDtype {
  private static final Map<String, String> BY_TOKEN =
      Map.ofEntries(
          Map.entry("BOOL", "torch.bool"),
          Map.entry("U8", "torch.uint8"),
          Map.entry("I8", "torch.int8"),
          Map.entry("F8_E5M2", "torch.float8_e5m2"),
          Map.entry("F8_E4M3", "torch.float8_e4m3fn"),
          Map.entry("F8_E8M0", "torch.float8_e8m0fnu"),
          Map.entry("F8_E4M3FNUZ", "torch.float8_e4m3fnuz"),
          Map.entry("F8_E5M2FNUZ", "torch.float8_e5m2fnuz"),
          Map.entry("I16", "torch.int16"),
          Map.entry("U16", "torch.uint16"),
          Map.entry("F16", "torch.float16"),
          Map.entry("BF16", "torch.bfloat16"),
          Map.entry("I32", "torch.int32"),
          Map.entry("U32", "torch.uint32"),
          Map.entry("F32", "torch.float32"),
          Map.entry("C64", "torch.complex64"),
          Map.entry("F64", "torch.float64"),
          Map.entry("I64", "torch.int64"),
          Map.entry("U64", "torch.uint64"));

  private TorchDtype() {}

  /**
   * As {@code str(tensor.dtype)} prints the type; empty for types that PyTorch has not, or stores
   * in another shape.
   *
   * @param token the type's token in a safetensors header
   */
  public static Optional<String> nameOf(String token) {
    return Optional.ofNullable(BY_TOKEN.get(token));
  }
}
