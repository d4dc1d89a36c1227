package org.shardmend;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.simpleName;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.GeneralCodingRules.ACCESS_STANDARD_STREAMS;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.shardmend.testing.BuildFiles;

/** Holds the packages to their order, and each to what it may know of. */
class ArchitectureTest {
  /** From the ground up: a room may use those before it in this list, and no other. */
  private static final List<String> ROOMS =
      List.of(
          "safetensors",
          "rules",
          "checkpoint.json",
          "checkpoint",
          "checkpoint.sidefile",
          "checkpoint.modules",
          "checkpoint.finding",
          "checkpoint.layout",
          "checkpoint.expected",
          "plan",
          "plan.contract",
          "plan.alias",
          "storage",
          "storage.bytes",
          "storage.protocol",
          "storage.lock",
          "storage.publish",
          "storage.journal",
          "audit",
          "trial",
          "report",
          "job.spark",
          "job.files",
          "job.audit",
          "job.plan",
          "job.verify",
          "job.repair",
          "job.sweep",
          "cli.text",
          "cli.option",
          "cli");

  /** As many types as a reader can take in at once. */
  private static final int MOST_TYPES = 35;

  private static JavaClasses mainClasses;

  @BeforeAll
  static void readMainClasses() {
    String tests =
        ArchitectureTest.class.getProtectionDomain().getCodeSource().getLocation().getPath();
    mainClasses =
        new ClassFileImporter()
            .withImportOption(location -> !location.contains(tests))
            .importPackages("org.shardmend");
  }

  static Stream<String> rooms() {
    return ROOMS.stream();
  }

  @Test
  void mainClassesAreFound() {
    assertThat(mainClasses.contain("org.shardmend.cli.Main")).isTrue();
    assertThat(mainClasses.contain(ArchitectureTest.class)).isFalse();
  }

  @Test
  void everyClassIsInARoom() {
    check(classes().should().resideInAnyPackage(exactPackagesOf(ROOMS)));
  }

  @ParameterizedTest
  @MethodSource("rooms")
  void aRoomIsNoHall(String room) {
    assertThat(
            mainClasses.stream()
                .filter(type -> type.getPackageName().equals("org.shardmend." + room))
                .filter(
                    type -> type.isTopLevelClass() && !type.getSimpleName().equals("package-info")))
        .hasSizeLessThanOrEqualTo(MOST_TYPES);
  }

  /** What it decides, what it knows nothing of, and where to begin. */
  @ParameterizedTest
  @MethodSource("rooms")
  void aRoomSaysWhatItIs(String room) throws IOException {
    Path sources = BuildFiles.projectFolder().resolve("src/main/java/org/shardmend");
    String said =
        Files.readString(sources.resolve(room.replace('.', '/')).resolve("package-info.java"));
    assertThat(said).containsPattern("Read[\\s*]+\\{@link\\s[\\s*]*\\w+\\}");
  }

  @ParameterizedTest
  @MethodSource("rooms")
  void aRoomUsesOnlyThoseAboveIt(String room) {
    List<String> allowed = ROOMS.subList(0, ROOMS.indexOf(room) + 1);
    check(
        classes()
            .that(resideInAPackage("org.shardmend." + room))
            .should()
            .onlyDependOnClassesThat(
                not(resideInAPackage("org.shardmend.."))
                    .or(resideInAnyPackage(exactPackagesOf(allowed)))));
  }

  /** The report reads the audit's tables, which are Spark's. */
  @Test
  void onlyAuditReportJobAndCommandLineKnowSpark() {
    check(
        noClasses()
            .that(not(areInAnyOf("audit", "report", "job", "cli")))
            .should()
            .dependOnClassesThat(resideInAPackage("org.apache.spark..")));
  }

  @Test
  void onlyStorageAuditJobAndCommandLineKnowHadoop() {
    check(
        noClasses()
            .that(not(areInAnyOf("storage", "audit", "job", "cli")))
            .should()
            .dependOnClassesThat(resideInAPackage("org.apache.hadoop..")));
  }

  @Test
  void onlyTheCommandLineKnowsItsLibrary() {
    check(
        noClasses()
            .that(not(areIn("cli")))
            .should()
            .dependOnClassesThat(resideInAnyPackage("picocli..")));
  }

  /** What they decide, they decide on values: others read and write. */
  @Test
  void formatRulesAndPlanKnowNoFiles() {
    check(
        noClasses()
            .that(areInAnyOf("safetensors", "rules", "plan", "report"))
            .should()
            .dependOnClassesThat(resideInAnyPackage("java.nio.file..", "java.nio.channels..")));
  }

  /**
   * The checkpoint's one way to files is its own interface; the exceptions are those that the
   * interface throws.
   */
  @Test
  void theCheckpointReachesFilesThroughItsInterface() {
    check(
        noClasses()
            .that(areIn("checkpoint"))
            .should()
            .dependOnClassesThat(
                resideInAnyPackage("java.nio.file..", "java.nio.channels..")
                    .and(not(aThrowable()))));
  }

  @Test
  void theFormatKnowsNoRules() {
    check(noClasses().that(areIn("safetensors")).should().dependOnClassesThat(areIn("rules")));
  }

  /**
   * Of storage the audit knows places, streams and the lock, not the strategies that move shards.
   */
  @Test
  void theAuditKnowsNotHowBytesMoved() {
    DescribedPredicate<JavaClass> placesAndStreams =
        simpleName("Location")
            .or(simpleName("Store"))
            .or(simpleName("StoreTraits"))
            .or(simpleName("FileStatus"))
            .or(simpleName("RangeReader"))
            .or(simpleName("ShardWriter"))
            .or(simpleName("TargetLock"));
    check(
        noClasses()
            .that(areIn("audit"))
            .should()
            .dependOnClassesThat(areIn("storage").and(not(placesAndStreams))));
  }

  /** And of the words that an audit's rows are made of. */
  @Test
  void theReportKnowsOnlyTheAudit() {
    check(
        classes()
            .that(areIn("report"))
            .should()
            .onlyDependOnClassesThat(
                areForeignOrIn(List.of("safetensors", "checkpoint", "plan", "audit", "report"))));
  }

  /** So that one jar serves Spark builds of any Scala version. */
  @Test
  void nothingNamesAScalaType() {
    check(noClasses().should().dependOnClassesThat(resideInAPackage("scala..")));
  }

  /** A java.io.File can't name every file; a java.nio.file.Path can. */
  @Test
  void nothingUsesTheOldFileType() {
    check(noClasses().should().dependOnClassesThat().haveFullyQualifiedName("java.io.File"));
  }

  @Test
  void onlyTheCommandLinePrints() {
    check(noClasses().that(not(areIn("cli"))).should(ACCESS_STANDARD_STREAMS));
  }

  private static void check(ArchRule rule) {
    rule.allowEmptyShould(true).check(mainClasses);
  }

  private static DescribedPredicate<JavaClass> areIn(String room) {
    return areInAnyOf(room);
  }

  private static DescribedPredicate<JavaClass> areInAnyOf(String... rooms) {
    return resideInAnyPackage(packagesOf(List.of(rooms)));
  }

  private static DescribedPredicate<JavaClass> areForeignOrIn(List<String> rooms) {
    return not(resideInAPackage("org.shardmend..")).or(resideInAnyPackage(packagesOf(rooms)));
  }

  private static DescribedPredicate<JavaClass> aThrowable() {
    return JavaClass.Predicates.assignableTo(Throwable.class);
  }

  private static String[] exactPackagesOf(List<String> rooms) {
    return rooms.stream().map(room -> "org.shardmend." + room).toArray(String[]::new);
  }

  private static String[] packagesOf(List<String> rooms) {
    return rooms.stream().map(room -> "org.shardmend." + room + "..").toArray(String[]::new);
  }
}
