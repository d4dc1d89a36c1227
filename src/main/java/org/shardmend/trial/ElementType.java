package org.shardmend.trial;

import org.shardmend.safetensors.Dtype;

/** The element types that generated models use. */
enum ElementType {
  F8_E4M3(Dtype.F8_E4M3, "torch.float8_e4m3fn", 0xBFBF_BFBF_BFBF_BFBFL),
  BF16(Dtype.BF16, "torch.bfloat16", 0xBFFF_BFFF_BFFF_BFFFL),
  F32(Dtype.F32, "torch.float32", 0xBFFF_FFFF_BFFF_FFFFL);

  private final Dtype dtype;
  private final String torchName;
  private final long finiteMask;

  ElementType(Dtype dtype, String torchName, long finiteMask) {
    this.dtype = dtype;
    this.torchName = torchName;
    this.finiteMask = finiteMask;
  }

  Dtype dtype() {
    return dtype;
  }

  /** As {@code str(tensor.dtype)} prints it. */
  String torchName() {
    return torchName;
  }

  /** Over 8 bytes: clears the highest exponent bit of every element, which makes it finite. */
  long finiteMask() {
    return finiteMask;
  }

  /** Size of one element in bytes. */
  int bytes() {
    return dtype.bits() / Byte.SIZE;
  }
}
