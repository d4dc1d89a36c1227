package org.shardmend.checkpoint.finding;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.Set;
import org.shardmend.checkpoint.Finding;
import org.shardmend.checkpoint.FindingCode;
import org.shardmend.checkpoint.ScannedShard;
import org.shardmend.checkpoint.SmallReads;
import org.shardmend.checkpoint.UnitCheck;
import org.shardmend.checkpoint.Wording;
import org.shardmend.safetensors.DisplayName;
import org.shardmend.safetensors.TensorEntry;

/**
 * Looks for scales of the key-value cache that are not 1 in what SGLang saved after sharding. It
 * sets {@code k_scale_float} and {@code v_scale_float} of a fresh model, to 1, before it reads the
 * saved {@code k_scale} and {@code v_scale} ({@code layers/quantization/kv_cache.py}, {@code
 * process_weights_after_loading}); kernels that take the floats then go by 1.
 */
public final class KvScaleCheck implements UnitCheck {
  private static final long serialVersionUID = 1L;

  /** So many are read of one load unit; the layers of a model were calibrated alike. */
  private static final int MOST_READ = 16;

  private static final Set<String> SCALES = Set.of("k_scale", "v_scale");
  private static final Set<String> FLOATS = Set.of("F32", "F64", "BF16");

  @Override
  public List<Finding> check(List<ScannedShard> shards, SmallReads reads) throws IOException {
    List<String> others = new ArrayList<>();
    int read = 0;
    for (ScannedShard scanned : shards) {
      for (TensorEntry tensor : scanned.header().tensors()) {
        if (isScale(tensor) && read++ < MOST_READ) {
          OptionalDouble value = value(scanned, tensor, reads);
          if (value.isPresent() && value.getAsDouble() != 1) {
            others.add(DisplayName.of(tensor.name()) + " is " + value.getAsDouble());
          }
        }
      }
    }
    return others.isEmpty()
        ? List.of()
        : List.of(
            FindingCode.KV_SCALES.finding(
                "",
                "scales of the key-value cache are not 1 ("
                    + Wording.examples(others)
                    + "): SGLang sets k_scale_float and v_scale_float of the fresh model before it"
                    + " reads these files, so that kernels which take them go by 1, and an FP8"
                    + " cache holds other values than were calibrated. A change of names does not"
                    + " cure that; launch from the original model, or with a cache that is not"
                    + " FP8."));
  }

  private static boolean isScale(TensorEntry tensor) {
    String name = tensor.name();
    return SCALES.contains(name.substring(name.lastIndexOf('.') + 1))
        && FLOATS.contains(tensor.dtype())
        && tensor.shape().elements() == 1;
  }

  private static OptionalDouble value(ScannedShard scanned, TensorEntry tensor, SmallReads reads)
      throws IOException {
    long at = scanned.header().dataBegin() + tensor.begin();
    int length = (int) tensor.bytes();
    ByteBuffer bytes =
        ByteBuffer.wrap(reads.read(scanned.shard(), at, length)).order(ByteOrder.LITTLE_ENDIAN);
    return switch (tensor.dtype()) {
      case "F32" -> OptionalDouble.of(bytes.getFloat());
      case "F64" -> OptionalDouble.of(bytes.getDouble());
      case "BF16" -> OptionalDouble.of(Float.intBitsToFloat(bytes.getShort() << Short.SIZE));
      default -> OptionalDouble.empty();
    };
  }
}
