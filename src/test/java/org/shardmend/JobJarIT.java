package org.shardmend;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.shardmend.testing.BuildFiles;

/** The job's jar brings what a cluster lacks, and nothing that a cluster brings. */
@Tag("smoke")
class JobJarIT {
  private static final Pattern FOLDER_OF_METADATA_OR_OURS =
      Pattern.compile("META-INF/.*|org/|org/shardmend/.*");

  /** Their libraries would clash with a cluster's own. */
  private static final List<String> A_CLUSTERS_OWN =
      List.of("scala/", "org/apache/", "com/fasterxml/", "org/slf4j/");

  private static final Pattern LIBRARY = Pattern.compile("^org/shardmend/shaded/(?<name>[^/]+)/.");

  private static List<String> entries;

  @BeforeAll
  static void readEntries() throws IOException {
    try (JarFile jar = new JarFile(BuildFiles.jobJar().toString())) {
      entries = jar.stream().map(JarEntry::getName).toList();
    }
  }

  @Test
  void holdsNothingOutsideOurPackages() {
    assertThat(entries).allMatch(name -> FOLDER_OF_METADATA_OR_OURS.matcher(name).matches());
  }

  @Test
  void holdsNothingThatAClusterBrings() {
    assertThat(entries)
        .noneMatch(name -> A_CLUSTERS_OWN.stream().anyMatch(name::contains))
        .noneMatch(name -> name.contains("log4j"));
  }

  @Test
  void holdsNoVariantsForOtherJavaVersionsAndNoModules() {
    assertThat(entries)
        .noneMatch(name -> name.startsWith("META-INF/versions/"))
        .noneMatch(name -> name.endsWith("module-info.class"));
  }

  @Test
  void holdsTheLibrariesUnderOurOwnName() {
    assertThat(entries)
        .contains(
            "org/shardmend/shaded/picocli/CommandLine.class",
            "org/shardmend/shaded/hash4j/hashing/Hashing.class",
            "org/shardmend/shaded/mustache/Mustache.class",
            "org/shardmend/shaded/prometheus/metrics/model/snapshots/GaugeSnapshot.class");
  }

  /** Whoever adds a library names its licence and its holders. */
  @Test
  void namesTheLicenceOfEveryLibraryThatItHolds() throws IOException {
    List<String> libraries =
        entries.stream()
            .map(LIBRARY::matcher)
            .filter(Matcher::find)
            .map(found -> found.group("name"))
            .distinct()
            .toList();
    assertThat(libraries).hasSizeGreaterThanOrEqualTo(4);

    try (JarFile jar = new JarFile(BuildFiles.jobJar().toString())) {
      String notice =
          new String(
              jar.getInputStream(jar.getEntry("META-INF/NOTICE")).readAllBytes(),
              StandardCharsets.UTF_8);
      assertThat(notice)
          .contains("Michael Bayne", "Redistributions in binary form must reproduce")
          .contains(libraries.stream().map("(org.shardmend.shaded.%s)"::formatted).toList());
    }
  }

  @Test
  void holdsTheBuiltInRulesAndTheLicense() {
    assertThat(entries)
        .contains("org/shardmend/rules/builtin/mla-kv-b-proj.json", "META-INF/LICENSE");
  }

  @Test
  void holdsNoTests() {
    assertThat(entries)
        .noneMatch(name -> name.contains("/testing/") || name.endsWith("Test.class"));
  }

  @Test
  void startsTheCommandLine() throws IOException {
    try (JarFile jar = new JarFile(BuildFiles.jobJar().toString())) {
      assertThat(jar.getManifest().getMainAttributes().getValue("Main-Class"))
          .isEqualTo("org.shardmend.cli.Main");
    }
  }
}
