package org.shardmend.trial;

import java.util.Comparator;
import org.shardmend.safetensors.Dtype;

/**
 * A tensor as it goes into a file.
 *
 * @param key its name in the header
 * @param tensor type and shape
 * @param data its bytes
 */
record StoredTensor(String key, TrialTensor tensor, TensorBytes data) {

  /** The reference writer's order inside a file: the type, descending, then the name. */
  static final Comparator<StoredTensor> FILE_ORDER =
      Comparator.<StoredTensor, Dtype>comparing(
              stored -> stored.tensor().type().dtype(), Comparator.reverseOrder())
          .thenComparing(StoredTensor::key);
}
