package org.shardmend.storage.bytes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicLong;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.shardmend.safetensors.Header;
import org.shardmend.safetensors.HeaderEdit;
import org.shardmend.safetensors.HeaderReader;
import org.shardmend.safetensors.HeaderWriter;
import org.shardmend.safetensors.SafetensorsException;
import org.shardmend.safetensors.Shape;
import org.shardmend.safetensors.TensorEntry;
import org.shardmend.safetensors.UnknownDtypes;
import org.shardmend.storage.LocalStore;
import org.shardmend.storage.MemoryReader;
import org.shardmend.storage.MemoryWriter;
import org.shardmend.storage.RangeReader;
import org.shardmend.storage.ShardWriter;
import org.shardmend.storage.SourceChangedException;

class ShardCopierTest {
  private static final int PIECE = PieceReader.PIECE_BYTES;

  @TempDir private Path top;

  /** A shard in memory. */
  private static final class Image {
    private final Header header;
    private final byte[] bytes;

    Image(Header header, byte[] bytes) {
      this.header = header;
      this.bytes = bytes;
    }

    Header header() {
      return header;
    }

    byte[] bytes() {
      return bytes;
    }

    static Image of(List<Integer> lengths, long seed) throws SafetensorsException {
      List<TensorEntry> tensors = new ArrayList<>();
      long at = 0;
      for (int length : lengths) {
        String name = "alias.tensor." + tensors.size();
        tensors.add(new TensorEntry(name, "U8", Shape.of(length), at, at + length));
        at += length;
      }
      Header header = Header.of(Optional.empty(), tensors, UnknownDtypes.REFUSE);
      byte[] head = HeaderWriter.encode(header);
      byte[] data = new byte[(int) at];
      new Random(seed).nextBytes(data);
      byte[] bytes = Arrays.copyOf(head, head.length + data.length);
      System.arraycopy(data, 0, bytes, head.length, data.length);
      return parse(bytes);
    }

    static Image parse(byte[] bytes) throws SafetensorsException {
      int json = HeaderReader.jsonBytes(Arrays.copyOf(bytes, 8), bytes.length);
      return new Image(
          HeaderReader.parse(bytes, 8, json, bytes.length, UnknownDtypes.REFUSE), bytes);
    }

    byte[] tensor(TensorEntry tensor) {
      int begin = (int) header.dataBegin();
      return Arrays.copyOfRange(bytes, begin + (int) tensor.begin(), begin + (int) tensor.end());
    }

    byte[] tensor(String name) {
      return tensor(header.find(name).orElseThrow());
    }
  }

  /** Renames every second tensor and drops every {@code nth}. */
  private static HeaderEdit edit(Header source, int nth) throws SafetensorsException {
    Map<String, String> renames = new HashMap<>();
    Set<String> dropped = new HashSet<>();
    for (int i = 0; i < source.tensors().size(); i++) {
      String name = source.tensors().get(i).name();
      if (i % nth == 1) {
        dropped.add(name);
      } else if (i % 2 == 0) {
        renames.put(name, newName(name));
      }
    }
    return HeaderEdit.of(source, renames, dropped, UnknownDtypes.REFUSE);
  }

  private static String newName(String name) {
    return name.replace("alias.", "");
  }

  @Provide
  Arbitrary<List<Integer>> lengths() {
    return Arbitraries.frequencyOf(
            net.jqwik.api.Tuple.of(2, Arbitraries.just(0)),
            net.jqwik.api.Tuple.of(6, Arbitraries.integers().between(1, 300)),
            net.jqwik.api.Tuple.of(1, Arbitraries.of(PIECE - 1, PIECE, PIECE + 1, 2 * PIECE)))
        .list()
        .ofMaxSize(12);
  }

  @Property(tries = 100)
  void eachKeptTensorArrivesUnchangedUnderItsNewName(
      @ForAll("lengths") List<Integer> lengths,
      @ForAll long seed,
      @ForAll("divisors") int nth,
      @ForAll("portions") int portion)
      throws Exception {
    Image source = Image.of(lengths, seed);
    HeaderEdit edit = edit(source.header(), nth);
    MemoryWriter digested = new MemoryWriter();
    ShardDigests digests =
        new ShardCopier(Pace.unlimited())
            .copyAndDigest(
                new MemoryReader(source.bytes(), portion),
                source.header(),
                edit,
                HeaderWriter.encode(edit.target()),
                digested,
                DigestAlgorithm.XXH3_128);
    Image target = Image.parse(digested.content());

    assertThat(target.header().tensors()).isEqualTo(edit.target().tensors());
    for (TensorEntry tensor : source.header().tensors()) {
      for (String name : List.of(tensor.name(), newName(tensor.name()))) {
        if (target.header().find(name).isPresent()) {
          assertThat(target.tensor(name)).isEqualTo(source.tensor(tensor));
        }
      }
    }
    List<String> expected =
        target.header().inOffsetOrder().stream()
            .map(target::tensor)
            .map(DigestAlgorithm.XXH3_128::digest)
            .toList();
    assertThat(digests.tensors()).isEqualTo(expected);

    MemoryWriter plain = new MemoryWriter();
    MemoryReader reader = new MemoryReader(source.bytes(), portion);
    new ShardCopier(Pace.unlimited())
        .copy(reader, source.header(), edit, HeaderWriter.encode(edit.target()), plain);
    assertThat(plain.content()).isEqualTo(digested.content());
    assertThat(reader.bytesRead()).isEqualTo(edit.target().dataBytes());

    ShardDigests readBack =
        new TensorDigester(DigestAlgorithm.XXH3_128, Pace.unlimited())
            .digest(new MemoryReader(target.bytes(), portion), target.header());
    assertThat(readBack).isEqualTo(digests);
    assertThat(readBack.shard()).isEqualTo(digests.shard());
  }

  @Provide
  Arbitrary<Integer> divisors() {
    return Arbitraries.integers().between(2, 5);
  }

  @Provide
  Arbitrary<Integer> portions() {
    return Arbitraries.of(61, 65536, Integer.MAX_VALUE);
  }

  private RangeReader openSource(Image image) throws IOException {
    Files.write(top.resolve("source"), image.bytes());
    return new LocalStore().openForRead(top.resolve("source").toString());
  }

  @Test
  void theKernelsCopyIsTheSame() throws Exception {
    Image source = Image.of(List.of(3_000_000, 17, 0, 1_500_000, 5), 42);
    HeaderEdit edit = edit(source.header(), 3);
    MemoryWriter expected = new MemoryWriter();
    new ShardCopier(Pace.unlimited())
        .copy(
            new MemoryReader(source.bytes(), PIECE),
            source.header(),
            edit,
            HeaderWriter.encode(edit.target()),
            expected);

    AtomicLong moved = new AtomicLong();
    try (RangeReader reader = openSource(source);
        ShardWriter writer = new LocalStore().create(top.resolve("target").toString())) {
      new ShardCopier(new Pace(RateLimiter.none(), moved::addAndGet))
          .copy(reader, source.header(), edit, HeaderWriter.encode(edit.target()), writer);
      writer.sync();
      writer.complete();
    }
    assertThat(Files.readAllBytes(top.resolve("target"))).isEqualTo(expected.content());
    assertThat(moved).hasValue(edit.target().dataBytes());
  }

  @Test
  void aShardThatADropHasEmptiedStaysValid() throws Exception {
    Image source = Image.of(List.of(100), 1);
    HeaderEdit edit =
        HeaderEdit.of(source.header(), Map.of(), Set.of("alias.tensor.0"), UnknownDtypes.REFUSE);
    MemoryWriter writer = new MemoryWriter();
    ShardDigests digests =
        new ShardCopier(Pace.unlimited())
            .copyAndDigest(
                new MemoryReader(source.bytes(), PIECE),
                source.header(),
                edit,
                HeaderWriter.encode(edit.target()),
                writer,
                DigestAlgorithm.SHA_256);
    assertThat(Image.parse(writer.content()).header().tensors()).isEmpty();
    assertThat(digests.tensors()).isEmpty();
  }

  @Test
  void aSourceThatIsCutWhileItIsReadIsNoticedAndLeavesNoTarget() throws Exception {
    Image source = Image.of(List.of(4 * PIECE, 4 * PIECE), 1);
    HeaderEdit edit = edit(source.header(), 5);
    LocalStore store = new LocalStore();
    for (boolean digesting : new boolean[] {true, false}) {
      try (RangeReader reader = openSource(source)) {
        ShardCopier copier = new ShardCopier(new Pace(RateLimiter.none(), bytes -> cutSource()));
        assertThatThrownBy(
                () -> {
                  try (ShardWriter writer = store.create(top.resolve("target").toString())) {
                    if (digesting) {
                      copier.copyAndDigest(
                          reader,
                          source.header(),
                          edit,
                          HeaderWriter.encode(edit.target()),
                          writer,
                          DigestAlgorithm.XXH3_128);
                    } else {
                      copier.copy(
                          reader,
                          source.header(),
                          edit,
                          HeaderWriter.encode(edit.target()),
                          writer);
                    }
                    writer.complete();
                  }
                })
            .isInstanceOf(SourceChangedException.class)
            .hasMessageContaining(top.resolve("source").toString());
      }
      assertThat(top.resolve("target")).doesNotExist();
    }
  }

  private void cutSource() {
    try (FileChannel file = FileChannel.open(top.resolve("source"), StandardOpenOption.WRITE)) {
      file.truncate(5L * PIECE);
    } catch (IOException failure) {
      throw new java.io.UncheckedIOException(failure);
    }
  }

  @Test
  void aSourceThatIsWrittenWhileItIsReadIsNoticed() throws Exception {
    Image source = Image.of(List.of(2 * PIECE), 1);
    HeaderEdit edit = edit(source.header(), 5);
    try (RangeReader reader = openSource(source)) {
      Files.setLastModifiedTime(
          top.resolve("source"), java.nio.file.attribute.FileTime.fromMillis(1));
      assertThatThrownBy(
              () ->
                  new ShardCopier(Pace.unlimited())
                      .copy(
                          reader,
                          source.header(),
                          edit,
                          HeaderWriter.encode(edit.target()),
                          new MemoryWriter()))
          .isInstanceOf(SourceChangedException.class);
    }
  }

  @Test
  void anExceptionOfTheProgressEndsTheWork() throws Exception {
    Image source = Image.of(List.of(10 * PIECE), 1);
    MemoryReader reader = new MemoryReader(source.bytes(), PIECE);
    Pace killed =
        new Pace(
            RateLimiter.none(),
            bytes -> {
              throw new CancellationException("killed");
            });
    assertThatThrownBy(
            () ->
                new ShardCopier(killed)
                    .copy(
                        reader,
                        source.header(),
                        edit(source.header(), 5),
                        HeaderWriter.encode(edit(source.header(), 5).target()),
                        new MemoryWriter()))
        .isInstanceOf(CancellationException.class);
    assertThat(reader.bytesRead()).isEqualTo(PIECE);
  }

  @Test
  void someTensorsAreDigestedWithoutReadingTheOthers() throws Exception {
    Image source = Image.of(List.of(1000, 0, 2000, 3000), 1);
    List<TensorEntry> tensors = source.header().inOffsetOrder();
    List<TensorEntry> some = List.of(tensors.get(1), tensors.get(3));
    MemoryReader reader = new MemoryReader(source.bytes(), PIECE);
    List<String> digests =
        new TensorDigester(DigestAlgorithm.SHA_256, Pace.unlimited())
            .digest(reader, source.header().dataBegin(), some);
    assertThat(digests)
        .containsExactly(
            DigestAlgorithm.SHA_256.digest(new byte[0]),
            DigestAlgorithm.SHA_256.digest(source.tensor(tensors.get(3))));
    assertThat(reader.bytesRead()).isEqualTo(3000);
  }

  @Test
  void aTargetThatIsNotEmptyIsRefused() throws Exception {
    Image source = Image.of(List.of(10, 20), 1);
    MemoryWriter writer = new MemoryWriter();
    writer.write(ByteBuffer.allocate(1));
    assertThatThrownBy(
            () ->
                new ShardCopier(Pace.unlimited())
                    .copyAndDigest(
                        new MemoryReader(source.bytes(), PIECE),
                        source.header(),
                        edit(source.header(), 5),
                        HeaderWriter.encode(edit(source.header(), 5).target()),
                        writer,
                        DigestAlgorithm.XXH3_128))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
