package org.shardmend.checkpoint.layout;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.shardmend.checkpoint.FileEntry;
import org.shardmend.checkpoint.Listing;

/**
 * How the files of one Hugging Face model are called. All begin with the same words: {@code
 * model.safetensors}, {@code model-00001-of-00002.safetensors}, {@code
 * model.safetensors.index.json}.
 *
 * @param stem these words: {@code model}, {@code diffusion_pytorch_model}, {@code consolidated}
 */
record HuggingFaceNames(String stem) {

  /** What Transformers and the engines look for. */
  static final HuggingFaceNames USUAL = new HuggingFaceNames("model");

  static final String WEIGHT_SUFFIX = ".safetensors";
  private static final String INDEX_SUFFIX = ".safetensors.index.json";
  private static final Pattern NUMBERS = Pattern.compile("-([0-9]{5})-of-([0-9]{5})$");

  /**
   * What a numbered file says.
   *
   * @param number counted from 1
   * @param total how many there are, as the name has it
   */
  record Numbered(int number, String total) {}

  /** The model that a weight file belongs to; empty when it is no weight file. */
  static Optional<HuggingFaceNames> ofWeights(String fileName) {
    return fileName.endsWith(WEIGHT_SUFFIX)
        ? Optional.of(
            new HuggingFaceNames(
                NUMBERS.matcher(without(fileName, WEIGHT_SUFFIX)).replaceFirst("")))
        : Optional.empty();
  }

  /** The model that an index belongs to; empty when it is none of weight files. */
  static Optional<HuggingFaceNames> ofIndex(String fileName) {
    return fileName.endsWith(INDEX_SUFFIX)
        ? Optional.of(new HuggingFaceNames(without(fileName, INDEX_SUFFIX)))
        : Optional.empty();
  }

  private static String without(String fileName, String suffix) {
    return fileName.substring(0, fileName.length() - suffix.length());
  }

  /** The only file of a model that is not divided. */
  String single() {
    return stem + WEIGHT_SUFFIX;
  }

  /** The file that says which tensor lies in which file. */
  String index() {
    return stem + INDEX_SUFFIX;
  }

  /** Which of the numbered files that is; empty when it is none of this model. */
  Optional<Numbered> numbered(String fileName) {
    if (!fileName.startsWith(stem) || !fileName.endsWith(WEIGHT_SUFFIX)) {
      return Optional.empty();
    }
    Matcher numbers = NUMBERS.matcher(without(fileName, WEIGHT_SUFFIX));
    return numbers.find() && numbers.start() == stem.length()
        ? Optional.of(new Numbered(Integer.parseInt(numbers.group(1)), numbers.group(2)))
        : Optional.empty();
  }

  /** Whether a directory holds files of this model. */
  boolean isPresent(Listing listing) {
    return listing.topLevel().stream()
        .map(FileEntry::name)
        .anyMatch(
            name -> name.equals(index()) || name.equals(single()) || numbered(name).isPresent());
  }
}
