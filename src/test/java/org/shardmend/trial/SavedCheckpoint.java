package org.shardmend.trial;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.shardmend.safetensors.Header;
import org.shardmend.safetensors.HeaderReader;
import org.shardmend.safetensors.SafetensorsException;
import org.shardmend.safetensors.TensorEntry;
import org.shardmend.safetensors.UnknownDtypes;

/** A generated checkpoint, read back with the codec: every file is a valid one, or this throws. */
public final class SavedCheckpoint {
  private static final Pattern RANK_FILE =
      Pattern.compile("model-(pp-(?<pp>\\d+)-)?rank-(?<tp>\\d+)-part-(?<part>\\d+)\\.safetensors");

  private final Map<String, ShardFile> files = new TreeMap<>();

  /** One weight file. */
  public record ShardFile(Path path, Header header) {
    /** The bytes of one of its tensors. */
    public byte[] data(TensorEntry tensor) {
      byte[] bytes = new byte[Math.toIntExact(tensor.bytes())];
      try (FileChannel channel = FileChannel.open(path)) {
        channel.read(ByteBuffer.wrap(bytes), header.dataBegin() + tensor.begin());
      } catch (IOException failure) {
        throw new AssertionError(failure);
      }
      return bytes;
    }
  }

  /** A tensor and the file that holds it. */
  public record Found(ShardFile file, TensorEntry tensor) {
    /** The name of the file that holds it. */
    public String fileName() {
      return file.path().getFileName().toString();
    }

    /** Its bytes. */
    public byte[] data() {
      return file.data(tensor);
    }
  }

  private SavedCheckpoint() {}

  /** Reads every weight file at the top of {@code directory}. */
  public static SavedCheckpoint read(Path directory) {
    SavedCheckpoint checkpoint = new SavedCheckpoint();
    try (Stream<Path> entries = Files.list(directory)) {
      for (Path file : entries.filter(SavedCheckpoint::isWeightFile).sorted().toList()) {
        checkpoint.files.put(file.getFileName().toString(), new ShardFile(file, headerOf(file)));
      }
    } catch (IOException | SafetensorsException failure) {
      throw new AssertionError(failure);
    }
    return checkpoint;
  }

  private static boolean isWeightFile(Path file) {
    return file.toString().endsWith(".safetensors") || file.toString().endsWith(".safetensor");
  }

  private static Header headerOf(Path file) throws IOException, SafetensorsException {
    long fileBytes = Files.size(file);
    try (FileChannel channel = FileChannel.open(file)) {
      byte[] prefix = new byte[HeaderReader.LENGTH_BYTES];
      channel.read(ByteBuffer.wrap(prefix), 0);
      byte[] json = new byte[HeaderReader.jsonBytes(prefix, fileBytes)];
      channel.read(ByteBuffer.wrap(json), HeaderReader.LENGTH_BYTES);
      return HeaderReader.parse(json, 0, json.length, fileBytes, UnknownDtypes.REFUSE);
    }
  }

  /** The weight files by name. */
  public Map<String, ShardFile> files() {
    return files;
  }

  /** The files of one rank of a {@code sharded_state} checkpoint, by part. */
  public List<ShardFile> partsOf(int pp, int tp) {
    Map<Integer, ShardFile> parts = new TreeMap<>();
    files.forEach(
        (name, file) -> {
          Matcher rank = RANK_FILE.matcher(name);
          if (rank.matches()
              && Integer.parseInt(rank.group("tp")) == tp
              && (rank.group("pp") == null ? 0 : Integer.parseInt(rank.group("pp"))) == pp) {
            parts.put(Integer.valueOf(rank.group("part")), file);
          }
        });
    return List.copyOf(parts.values());
  }

  /** All tensors of these files by name; a name that occurs twice is an error. */
  public static Map<String, Found> tensorsOf(Iterable<ShardFile> unit) {
    Map<String, Found> tensors = new TreeMap<>();
    for (ShardFile file : unit) {
      for (TensorEntry tensor : file.header().tensors()) {
        Found found = new Found(file, tensor);
        if (tensors.put(tensor.name(), found) != null) {
          throw new AssertionError("Twice in one load unit: " + tensor.name());
        }
      }
    }
    return tensors;
  }

  /** The content of every file below {@code directory}, by relative name. */
  static Map<String, Integer> fingerprints(Path directory) {
    Map<String, Integer> hashes = new TreeMap<>();
    try (Stream<Path> entries = Files.walk(directory)) {
      for (Path file : entries.filter(Files::isRegularFile).toList()) {
        hashes.put(
            directory.relativize(file).toString(), Arrays.hashCode(Files.readAllBytes(file)));
      }
    } catch (IOException failure) {
      throw new AssertionError(failure);
    }
    return hashes;
  }
}
