package org.shardmend.safetensors;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** What holds for every header: written and read it is the same, edited it keeps every byte. */
class HeaderPropertyTest {
  private static final UnknownDtypes REFUSE = UnknownDtypes.REFUSE;

  @Provide
  Arbitrary<Header> headers() {
    return Headers.all();
  }

  @Property
  void encodedAndParsedItIsTheSameHeader(@ForAll("headers") Header header)
      throws SafetensorsException {
    byte[] encoded = HeaderWriter.encode(header);
    Header again = HeaderBytes.read(Arrays.copyOf(encoded, (int) header.fileBytes()));
    assertThat(again).isEqualTo(header);
    assertThat(again.jsonBytes()).isEqualTo(header.jsonBytes());
    assertThat(encoded.length % 8).isZero();
    assertThat(encoded.length).isEqualTo((int) header.dataBegin());
  }

  @Property
  void howTheJsonIsWrittenDoesNotMatter(
      @ForAll("headers") Header header, @ForAll("randoms") Random random)
      throws SafetensorsException {
    byte[] file = sloppyFile(header, random);
    assertThat(HeaderBytes.read(file)).isEqualTo(header);
  }

  @Property
  void aHeaderFitsIntoItsOwnLength(
      @ForAll("headers") Header header, @ForAll("randoms") Random random)
      throws SafetensorsException {
    Header read = HeaderBytes.read(sloppyFile(header, random));
    byte[] fitted = HeaderWriter.encodeInto(read, read.jsonBytes()).orElseThrow();
    assertThat(fitted).hasSize(8 + read.jsonBytes());
    assertThat(HeaderBytes.read(Arrays.copyOf(fitted, (int) read.fileBytes()))).isEqualTo(header);
  }

  @Property
  void withShorterNamesAHeaderFitsIntoItsOldLength(
      @ForAll("headers") Header header, @ForAll("randoms") Random random)
      throws SafetensorsException {
    Header read = HeaderBytes.read(sloppyFile(header, random));
    Map<String, String> renames = shorterNames(read, random);
    Header target = HeaderEdit.of(read, renames, Set.of(), REFUSE).target();
    byte[] fitted = HeaderWriter.encodeInto(target, read.jsonBytes()).orElseThrow();
    Header again = HeaderBytes.read(Arrays.copyOf(fitted, (int) read.fileBytes()));
    assertThat(again).isEqualTo(target);
    assertThat(again.dataBegin()).isEqualTo(read.dataBegin());
  }

  @Property
  void itFitsExactlyWhenTheUnpaddedJsonDoes(@ForAll("headers") Header header) {
    int needed = HeaderWriter.json(header.content()).length;
    assertThat(HeaderWriter.encodeInto(header, needed)).isPresent();
    assertThat(HeaderWriter.encodeInto(header, needed - 1)).isEmpty();
  }

  @Property
  void anEditKeepsEveryByteOfEveryKeptTensor(
      @ForAll("headers") Header source, @ForAll("randoms") Random random)
      throws SafetensorsException {
    Set<String> dropped = some(source, random);
    Map<String, String> renames = renames(source, dropped, random);
    byte[] data = new byte[(int) source.dataBytes()];
    random.nextBytes(data);

    HeaderEdit edit = HeaderEdit.of(source, renames, dropped, REFUSE);

    byte[] moved = apply(edit.spans(), data, (int) edit.target().dataBytes());
    for (TensorEntry before : source.tensors()) {
      if (!dropped.contains(before.name())) {
        String name = renames.getOrDefault(before.name(), before.name());
        TensorEntry after = edit.target().find(name).orElseThrow();
        assertThat(after.movedTo(before.begin()).withName(before.name())).isEqualTo(before);
        assertThat(Arrays.copyOfRange(moved, (int) after.begin(), (int) after.end()))
            .isEqualTo(Arrays.copyOfRange(data, (int) before.begin(), (int) before.end()));
      }
    }
    assertThat(edit.target().tensors()).hasSize(source.tensors().size() - dropped.size());
  }

  @Property
  void anEditIsValidAndKeepsTheOrderOfTheJson(
      @ForAll("headers") Header source, @ForAll("randoms") Random random)
      throws SafetensorsException {
    Set<String> dropped = some(source, random);
    Map<String, String> renames = renames(source, dropped, random);

    Header target = HeaderEdit.of(source, renames, dropped, REFUSE).target();

    byte[] file = Arrays.copyOf(HeaderWriter.encode(target), (int) target.fileBytes());
    assertThat(HeaderBytes.read(file)).isEqualTo(target);
    assertThat(target.metadata()).isEqualTo(source.metadata());
    assertThat(target.tensors().stream().map(TensorEntry::name))
        .containsExactlyElementsOf(
            source.tensors().stream()
                .map(TensorEntry::name)
                .filter(name -> !dropped.contains(name))
                .map(name -> renames.getOrDefault(name, name))
                .toList());
  }

  @Property
  void anEditAlignsWhateverItMoves(
      @ForAll("headers") Header source, @ForAll("randoms") Random random)
      throws SafetensorsException {
    Set<String> dropped = some(source, random);
    HeaderEdit edit = HeaderEdit.of(source, Map.of(), dropped, REFUSE);
    boolean moved = false;
    for (TensorEntry after : edit.target().tensors()) {
      if (after.begin() != source.find(after.name()).orElseThrow().begin()) {
        moved = true;
        assertThat(after.begin() % Dtype.valueOf(after.dtype()).alignment()).isZero();
      }
    }
    assertThat(edit.movesData()).isEqualTo(moved);
  }

  @Property
  void theSpansOfAnEditAreAsFewAsCanBe(
      @ForAll("headers") Header source, @ForAll("randoms") Random random)
      throws SafetensorsException {
    HeaderEdit edit = HeaderEdit.of(source, Map.of(), some(source, random), REFUSE);
    long end = 0;
    long lastSourceEnd = -1;
    for (Span span : edit.spans()) {
      assertThat(span.bytes()).isPositive();
      assertThat(span.targetBegin()).isEqualTo(end);
      assertThat(span.sourceBegin()).isNotEqualTo(lastSourceEnd);
      end += span.bytes();
      lastSourceEnd = span.sourceEnd();
    }
    assertThat(end).isEqualTo(edit.target().dataBytes());
  }

  @Provide
  Arbitrary<Random> randoms() {
    return Arbitraries.randoms();
  }

  private static byte[] sloppyFile(Header header, Random random) {
    return HeaderBytes.file(new SloppyJson(random).of(header), (int) header.dataBytes());
  }

  /** For some tensors a name that takes no more bytes than theirs, and that none has. */
  private static Map<String, String> shorterNames(Header header, Random random) {
    Map<String, String> renames = new HashMap<>();
    for (String name : some(header, random)) {
      String shorter = Integer.toString(renames.size());
      boolean isShorter = name.getBytes(StandardCharsets.UTF_8).length >= shorter.length();
      if (isShorter && header.find(shorter).isEmpty()) {
        renames.put(name, shorter);
      }
    }
    return renames;
  }

  /** New names for some of the tensors that are not dropped; some swap theirs. */
  private static Map<String, String> renames(Header header, Set<String> dropped, Random random) {
    Map<String, String> renames = new HashMap<>();
    for (String name : some(header, random)) {
      if (!dropped.contains(name)) {
        renames.put(name, "renamed." + renames.size());
      }
    }
    List<String> names = List.copyOf(renames.keySet());
    if (names.size() > 1) {
      renames.put(names.get(0), names.get(1));
      renames.put(names.get(1), names.get(0));
    }
    renames.values().removeIf(target -> target.startsWith("renamed.") && random.nextInt(8) == 0);
    return renames;
  }

  private static Set<String> some(Header header, Random random) {
    Set<String> names = new HashSet<>();
    for (TensorEntry tensor : header.tensors()) {
      if (random.nextInt(3) == 0) {
        names.add(tensor.name());
      }
    }
    return names;
  }

  private static byte[] apply(List<Span> spans, byte[] data, int targetBytes) {
    byte[] target = new byte[targetBytes];
    for (Span span : spans) {
      System.arraycopy(
          data, (int) span.sourceBegin(), target, (int) span.targetBegin(), (int) span.bytes());
    }
    return target;
  }
}
