package org.shardmend.checkpoint.expected;

import java.io.Serializable;
import java.util.Objects;
import java.util.Optional;
import org.shardmend.safetensors.Shape;

/** What a loader expects under one name. Type and shape may be unknown. */
public final class ExpectedTensor implements Serializable {
  private static final long serialVersionUID = 1L;
  private static final ExpectedTensor NAME_ONLY = new ExpectedTensor("", null);

  private final String dtype;
  private final Shape shape;

  private ExpectedTensor(String dtype, Shape shape) {
    this.dtype = dtype;
    this.shape = shape;
  }

  /** A tensor of which only the name is known. */
  public static ExpectedTensor nameOnly() {
    return NAME_ONLY;
  }

  /** A tensor of that type and shape; the type is the token that the format uses. */
  public static ExpectedTensor of(String dtype, Shape shape) {
    return new ExpectedTensor(dtype, shape);
  }

  /** The same, of that type. */
  ExpectedTensor withDtype(String value) {
    return new ExpectedTensor(value, shape);
  }

  /** The same, of that shape. */
  ExpectedTensor withShape(Shape value) {
    return new ExpectedTensor(dtype, value);
  }

  /** The type's token, as in a shard's header; empty when it is not known. */
  public String dtype() {
    return dtype;
  }

  /** The shape, where it is known. */
  public Optional<Shape> shape() {
    return Optional.ofNullable(shape);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ExpectedTensor tensor
        && dtype.equals(tensor.dtype)
        && Objects.equals(shape, tensor.shape);
  }

  @Override
  public int hashCode() {
    return Objects.hash(dtype, shape);
  }

  @Override
  public String toString() {
    return (dtype.isEmpty() ? "any type" : dtype) + " " + (shape == null ? "any shape" : shape);
  }
}
