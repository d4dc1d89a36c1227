package org.shardmend.job;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.shardmend.safetensors.TensorEntry;
import org.shardmend.testing.DirectoryContent;
import org.shardmend.trial.SavedCheckpoint;
import org.shardmend.trial.SavedCheckpoint.ShardFile;

/** Something that is done to a generated checkpoint. */
@FunctionalInterface
interface Damage {
  void to(Path checkpoint) throws IOException;

  /** Nothing. */
  static Damage none() {
    return checkpoint -> {};
  }

  /** Puts a file there, over what there was. */
  static Damage file(String name, String content) {
    return checkpoint -> {
      Files.createDirectories(checkpoint.resolve(name).getParent());
      Files.writeString(checkpoint.resolve(name), content);
    };
  }

  /** Removes the files whose names begin so. */
  static Damage without(String prefix) {
    return checkpoint -> {
      for (Path file : named(checkpoint, prefix)) {
        Files.delete(file);
      }
    };
  }

  static Damage copy(String from, String to) {
    return checkpoint -> {
      Path target = checkpoint.resolve(to);
      Files.createDirectories(target.getParent());
      if (Files.isDirectory(checkpoint.resolve(from))) {
        DirectoryContent.copy(checkpoint.resolve(from), target);
      } else {
        Files.copy(checkpoint.resolve(from), target);
      }
    };
  }

  static Damage move(String from, String to) {
    return checkpoint -> Files.move(checkpoint.resolve(from), checkpoint.resolve(to));
  }

  /** Puts a link to a file elsewhere in the file's place. */
  static Damage linkInPlaceOf(String name) {
    return checkpoint -> {
      Path outside = checkpoint.resolveSibling("outside");
      Files.move(checkpoint.resolve(name), outside);
      Files.createSymbolicLink(checkpoint.resolve(name), outside);
    };
  }

  /** Changes a JSON file. */
  static Damage json(String name, Consumer<ObjectNode> change) {
    return checkpoint -> {
      ObjectMapper json = new ObjectMapper();
      Path file = checkpoint.resolve(name);
      ObjectNode document = (ObjectNode) json.readTree(file.toFile());
      change.accept(document);
      json.writeValue(file.toFile(), document);
    };
  }

  /** Changes the text of the headers of the shards whose names begin so; the length must stay. */
  static Damage headers(String prefix, UnaryOperator<String> change) {
    return checkpoint -> {
      for (Path shard : named(checkpoint, prefix)) {
        try (RandomAccessFile file = new RandomAccessFile(shard.toFile(), "rw")) {
          byte[] json = new byte[(int) Long.reverseBytes(file.readLong())];
          file.readFully(json);
          String text = new String(json, StandardCharsets.UTF_8);
          byte[] changed = change.apply(text).getBytes(StandardCharsets.UTF_8);
          if (changed.length != json.length) {
            throw new IllegalArgumentException("The header's length must stay");
          }
          file.seek(Long.BYTES);
          file.write(changed);
        }
      }
    };
  }

  /** Gives a shard's header so many spaces more. */
  static Damage padded(String shard, int spaces) {
    return checkpoint -> {
      byte[] bytes = Files.readAllBytes(checkpoint.resolve(shard));
      ByteBuffer buffer = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
      int header = Long.BYTES + (int) buffer.getLong(0);
      byte[] padded = Arrays.copyOf(bytes, bytes.length + spaces);
      Arrays.fill(padded, header, header + spaces, (byte) ' ');
      System.arraycopy(bytes, header, padded, header + spaces, bytes.length - header);
      ByteBuffer.wrap(padded)
          .order(ByteOrder.LITTLE_ENDIAN)
          .putLong(0, header - Long.BYTES + spaces);
      Files.write(checkpoint.resolve(shard), padded);
    };
  }

  /** Overwrites the first tensor whose name ends so with zeros. */
  static Damage zeroed(String ending) {
    return checkpoint -> {
      for (ShardFile shard : SavedCheckpoint.read(checkpoint).files().values()) {
        for (TensorEntry tensor : shard.header().tensors()) {
          if (tensor.name().endsWith(ending)) {
            try (RandomAccessFile file = new RandomAccessFile(shard.path().toFile(), "rw")) {
              file.seek(shard.header().dataBegin() + tensor.begin());
              file.write(new byte[(int) tensor.bytes()]);
            }
            return;
          }
        }
      }
      throw new IllegalArgumentException("No tensor ends in " + ending);
    };
  }

  default Damage and(Damage other) {
    return checkpoint -> {
      to(checkpoint);
      other.to(checkpoint);
    };
  }

  private static List<Path> named(Path checkpoint, String prefix) throws IOException {
    try (Stream<Path> files = Files.list(checkpoint)) {
      List<Path> named =
          files.filter(f -> f.getFileName().toString().startsWith(prefix)).sorted().toList();
      if (named.isEmpty()) {
        throw new IllegalArgumentException("No file's name begins with " + prefix);
      }
      return named;
    }
  }
}
