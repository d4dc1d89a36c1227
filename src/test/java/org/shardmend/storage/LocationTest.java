package org.shardmend.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LocationTest {
  private static final String LOCAL = "file:///";
  private static final String CLUSTER = "hdfs://nn:9000";

  @TempDir private Path scratch;

  @ParameterizedTest
  @CsvSource({
    "file:/x/y,                file:/x/y",
    "file:///x//y/,            file:/x/y",
    "FILE://localhost/x,       file:/x",
    "/a/./b/c,                 file:/a/b/c",
    "/../..,                   file:/",
    "hdfs://NN:9000/x/,        hdfs://nn:9000/x",
    "hdfs://nn:8020/x,         hdfs://nn/x",
    "hdfs://nn,                hdfs://nn/",
    "s3a://Bucket/a%20b,       s3a://Bucket/a%20b",
    "s3a://b/#1/?v=[0-9]*,     s3a://b/#1/?v=[0-9]*",
    "'/with space/a:b',        'file:/with space/a:b'",
    "abfs://c@acc.example/x,   abfs://c@acc.example/x",
    "hdfs://[fe80::1]:9000/x,  hdfs://[fe80::1]:9000/x",
  })
  void whatPeopleWriteBecomesOneSpelling(String text, String expected) {
    Location location = Location.parse(text, LOCAL);
    assertThat(location).hasToString(expected);
    assertThat(Location.parse(location.toString(), LOCAL)).isEqualTo(location);
  }

  @Test
  void aPathWithoutASchemeIsMeantInTheDefaultFileSystem() {
    assertThat(Location.parse("/x", CLUSTER)).hasToString("hdfs://nn:9000/x");
    assertThat(Location.parse("/x", "hdfs://ns/ignored")).hasToString("hdfs://ns/x");
    assertThat(Location.parse("hdfs:///x", CLUSTER)).hasToString("hdfs://nn:9000/x");
    assertThat(Location.parse("file:/x", CLUSTER)).hasToString("file:/x");
  }

  @Test
  void aRelativePathIsMeantFromTheWorkingDirectory() {
    assertThat(Location.parse("some/dir", LOCAL))
        .isEqualTo(Location.ofFile(System.getProperty("user.dir") + "/some/dir"));
    assertThat(Location.parse("a:b", LOCAL).name()).isEqualTo("a:b");
    assertThat(Location.parse("./weird:/x", LOCAL).path()).endsWith("/weird:/x");
  }

  @Test
  void aRelativePathIsRefusedWhereItCouldMeanTwoPlaces() {
    assertThatThrownBy(() -> Location.parse("some/dir", CLUSTER))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("some/dir");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "file://host/x", "s3a:///x", "hdfs:/x", "/a\0b", "s3a://a b/x"})
  void whatIsNoLocationIsRefused(String text) {
    assertThatThrownBy(() -> Location.parse(text, LOCAL))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void upMeansTheDirectoryAboveWhatALinkLeadsTo() throws IOException {
    Path home = scratch.toRealPath();
    Path above = Files.createDirectories(home.resolve("data/v2")).getParent();
    Path current = Files.createSymbolicLink(home.resolve("current"), Path.of("data/v2"));

    for (String text : List.of(current + "/../ckpt", current + "/./..//ckpt/")) {
      assertThat(Location.parse(text, LOCAL).path()).isEqualTo(above + "/ckpt");
      assertThat(Location.parse("file://" + text, LOCAL).path()).isEqualTo(above + "/ckpt");
      assertThat(Location.ofFile(text).path()).isEqualTo(above + "/ckpt");
    }
    assertThat(Location.parse(current + "/../..", LOCAL).path()).isEqualTo(home.toString());
    assertThat(Location.parse(current + "/ckpt", LOCAL).path()).isEqualTo(current + "/ckpt");
  }

  @Test
  void upFromTheWorkingDirectoryIsTheDirectoryAboveIt() throws IOException {
    Path above = Path.of("").toRealPath().getParent();

    assertThat(Location.parse("../x", LOCAL).path()).isEqualTo(above.resolve("x").toString());
  }

  @Test
  void upBehindWhatIsNoDirectoryIsRefusedAsTheKernelDoes() throws IOException {
    Files.writeString(scratch.resolve("file"), "");
    Files.createSymbolicLink(scratch.resolve("dangling"), Path.of("nothing"));

    for (String before : List.of("missing", "file", "dangling")) {
      String text = scratch + "/" + before + "/../x";
      assertThatThrownBy(() -> Location.parse(text, LOCAL))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining(text)
          .hasMessageContaining("Write the path without '..'");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"hdfs://nn/a/../b", "s3a://bucket/..", "viewfs://c/a/../b"})
  void upIsRefusedWhereNothingIsMounted(String text) {
    assertThatThrownBy(() -> Location.parse(text, LOCAL))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'..'");
  }

  @Test
  void upIsRefusedInAPathThatIsMeantInHdfs() {
    assertThatThrownBy(() -> Location.parse("/a/../b", CLUSTER))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("hdfs");
  }

  @Test
  void aLoginIsNeverShown() {
    Location location = Location.parse("s3a://key:s3cr3t@bucket/x", LOCAL);
    assertThat(location).hasToString("s3a://bucket/x");
    assertThat(location.child("y")).hasToString("s3a://bucket/x/y");
    // A secret key with a slash in it ends the authority early.
    assertThatThrownBy(() -> Location.parse("s3a://key:s3c/r3t@bucket/x", LOCAL))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageNotContaining("s3c")
        .hasMessageNotContaining("r3t");
  }

  @Test
  void aChildIsBelowAndNowhereElse() {
    Location directory = Location.parse("s3a://b/x", LOCAL);
    assertThat(directory.child("a/b")).hasToString("s3a://b/x/a/b");
    assertThat(directory.child("a/b").parent().parent()).isEqualTo(directory);
    assertThat(Location.ofFile("/").child("a").parent()).isEqualTo(Location.ofFile("/"));
    for (String name : new String[] {"", "..", "../y", "/y", "a/../../y", "a//b", "a/", "."}) {
      assertThatThrownBy(() -> directory.child(name)).isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void containingIsByWholeNamesAndWithinOneFileSystem() {
    Location directory = Location.ofFile("/a/b");
    assertThat(directory.contains(directory)).isTrue();
    assertThat(directory.contains(Location.ofFile("/a/b/c"))).isTrue();
    assertThat(directory.contains(Location.ofFile("/a/bc"))).isFalse();
    assertThat(directory.contains(Location.ofFile("/a"))).isFalse();
    assertThat(Location.ofFile("/").contains(directory)).isTrue();
    assertThat(directory.contains(Location.parse("hdfs://nn/a/b/c", LOCAL))).isFalse();
  }

  @Property
  void anyNameIsTakenLiterally(@ForAll String name) {
    if (name.isEmpty()
        || name.equals(".")
        || name.equals("..")
        || name.indexOf('/') >= 0
        || name.indexOf('\0') >= 0) {
      return;
    }
    Location child = Location.ofFile("/top").child(name);
    assertThat(child.name()).isEqualTo(name);
    assertThat(Location.parse(child.toString(), LOCAL)).isEqualTo(child);
    assertThat(Location.parse(child.path(), CLUSTER).path()).isEqualTo(child.path());
  }
}
