package org.shardmend;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.shardmend.testing.BuildFiles;
import org.shardmend.testing.Scripts;

/**
 * The launcher in a project of its own, with stand-ins for Java, Maven and spark-submit that write
 * down their arguments.
 */
class LauncherTest {
  private static final String MAIN_CLASS = "org.shardmend.cli.Main";

  /** Pretends to record an archive, or to run: prints a line, and exits with EXIT. */
  private static final String JAVA =
      """
      #!/usr/bin/env bash
      for argument; do
        if [[ $argument == -XX:ArchiveClassesAtExit=* ]]; then
          echo classes >"${argument#*=}"
          echo recorded >>"$RECORD/archives"
          exit
        fi
      done
      if [[ ${!#} == -version ]]; then
        printf '%s\\n' "$@" >"$RECORD/asked"
        exit
      fi
      printf '%s\\n' "$@" >"$RECORD/java"
      printf '%s\\n' "$LC_ALL" >"$RECORD/locale"
      echo "the document"
      exit "${EXIT:-0}"
      """;

  private static final String MAVEN =
      """
      #!/usr/bin/env bash
      echo "$*" >>"$RECORD/builds"
      echo "[INFO] chatter"
      if [[ -n ${BROKEN:-} ]]; then
        echo "[ERROR] Main.java:[3,5] ';' expected"
        exit 1
      fi
      sleep 0.3
      echo >target/shardmend.jar
      printf '%s' "$PWD/library.jar" >target/launcher.classpath
      printf '%s' "-Dopened=yes -Dclosed=no" >target/launcher.options
      """;

  private static final String SPARK_SUBMIT =
      """
      #!/usr/bin/env bash
      printf '%s\\n' "$@" >"$RECORD/spark-submit"
      printf '%s\\n' "$SPARK_SUBMIT_OPTS" >"$RECORD/spark-submit-options"
      exit "${EXIT:-0}"
      """;

  @TempDir private Path scratch;
  private Path project;
  private Path record;
  private final Map<String, String> environment = new HashMap<>();

  @BeforeEach
  void layOutAProject() throws IOException {
    project = scratch.resolve("a project");
    record = Files.createDirectories(scratch.resolve("record"));
    Path original = BuildFiles.projectFolder();
    copy(original.resolve("scripts/shardmend"), project.resolve("scripts/shardmend"));
    copy(original.resolve("conf/log4j2.properties"), project.resolve("conf/log4j2.properties"));
    Files.createDirectories(project.resolve("conf/rules"));
    Files.createDirectories(project.resolve("src/main"));
    Files.writeString(project.resolve("pom.xml"), "<project/>");
    Files.writeString(project.resolve("library.jar"), "");
    Files.writeString(
        project.resolve("conf/spark-defaults.conf"),
        "# pinned\n\nspark.first   one word\nspark.second  2\n");
    Scripts.write(scratch.resolve("jdk/bin/java"), JAVA);
    Files.writeString(scratch.resolve("jdk/release"), "JAVA_VERSION=\"17.0.9\"\n");
    Scripts.write(scratch.resolve("bin/mvn"), MAVEN);
    environment.put("JAVA_HOME", scratch.resolve("jdk").toString());
    environment.put("PATH", scratch.resolve("bin") + ":/usr/bin:/bin");
    environment.put("RECORD", record.toString());
  }

  @Test
  void theFirstRunBuildsAndSaysSoOnStandardError() throws Exception {
    Outcome outcome = launch("plan", "checkpoint");

    assertThat(outcome.exitCode()).isZero();
    assertThat(outcome.out()).isEqualTo("the document\n");
    assertThat(outcome.err()).contains("Building Shardmend (first run)").doesNotContain("chatter");
    assertThat(recorded("builds")).singleElement().asString().contains("package");
    assertThat(project.resolve("target/build.log")).content().contains("chatter");
  }

  @Test
  void theSecondRunStartsAtOnce() throws Exception {
    launch("plan");

    Outcome second = launch("plan");

    assertThat(second.err()).isEmpty();
    assertThat(recorded("builds")).hasSize(1);
    assertThat(recorded("archives")).hasSize(1);
  }

  @Test
  void packagesAreFetchedByStartingThroughSpark() throws Exception {
    launch("--conf", "spark.jars.packages=org.example:store:1", "plan", "a checkpoint");

    List<String> arguments = recorded("java");
    int submit = arguments.indexOf("org.apache.spark.deploy.SparkSubmit");
    assertThat(arguments.subList(submit, arguments.size()))
        .containsSubsequence("--class", MAIN_CLASS)
        .containsSubsequence("--conf", "spark.first=one word")
        .containsSubsequence("--conf", "spark.jars.packages=org.example:store:1")
        .endsWith(project.resolve("target/shardmend.jar").toString(), "plan", "a checkpoint");
    assertThat(arguments.get(submit - 1)).as("the class path").doesNotContain("shardmend.jar");
  }

  @ParameterizedTest
  @CsvSource({
    "plan /c, true",
    "plan /c --find-aliases, false",
    "repair /c --in-place, true",
    "repair /c --output /o, true",
    "repair file:///c --output=file:///o, true",
    "repair /c --output s3a://bucket/o, false",
    "repair hdfs://name/c --output /o, false",
    "repair /c --output /o --digest xxh3-128, true",
    "repair /c --output /o --digest sha256, false",
    "repair /c --output /o --digest=SHA256, false",
    "sweep /c --in-place --audit /a, true",
    "verify /c, true",
    "verify /c --full, false",
    "generate /c, false",
    "demo, true"
  })
  void javasFirstCompilerServesAloneWhereItIsNotTheSlowOne(String command, boolean alone)
      throws Exception {
    launch(command.split(" "));

    assertThat(recorded("java").contains("-XX:TieredStopAtLevel=1")).isEqualTo(alone);
  }

  @Test
  void aChangedSourceIsBuiltAgain() throws Exception {
    launch("plan");
    changeLater(Files.writeString(project.resolve("src/main/Main.java"), "class Main {}"));

    Outcome outcome = launch("plan");

    assertThat(outcome.err())
        .contains("Building Shardmend (src/main/Main.java is newer than the last build)");
    assertThat(recorded("builds")).hasSize(2);
    assertThat(recorded("archives")).as("Spark's classes are the same").hasSize(1);
  }

  @Test
  void aChangedRuleIsBuiltAgain() throws Exception {
    launch("plan");
    changeLater(Files.writeString(project.resolve("conf/rules/family.json"), "{}"));

    launch("plan");

    assertThat(recorded("builds")).hasSize(2);
  }

  @Test
  void aMissingLibraryIsFetchedAgain() throws Exception {
    launch("plan");
    Files.delete(project.resolve("library.jar"));

    assertThat(launch("plan").err()).contains("library.jar is gone from the Maven repository");
  }

  @Test
  void aBrokenBuildShowsMavensErrorsAndStartsNothing() throws Exception {
    environment.put("BROKEN", "yes");

    Outcome outcome = launch("plan");

    assertThat(outcome.exitCode()).isEqualTo(5);
    assertThat(outcome.err()).contains("[ERROR] Main.java:[3,5] ';' expected", "build.log");
    assertThat(outcome.out()).isEmpty();
    assertThat(record.resolve("java")).doesNotExist();
  }

  @Test
  void aPlaceThatCannotBeBuiltInIsSaid() throws Exception {
    Path target = Files.writeString(project.resolve("target"), "a file");

    Outcome outcome = launch("plan");

    assertThat(outcome.exitCode()).isEqualTo(5);
    assertThat(outcome.err())
        .contains("must be built (first run)", target.toString(), "can't be written")
        .doesNotContain("line ", "Built in");
    assertThat(record.resolve("builds")).doesNotExist();
  }

  @Test
  void firstRunsAtTheSameTimeBuildOnce() throws Exception {
    List<Process> launches = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      launches.add(process(project.resolve("scripts/shardmend"), "plan").start());
    }
    for (Process launch : launches) {
      assertThat(launch.waitFor()).isZero();
    }

    assertThat(recorded("builds")).hasSize(1);
    assertThat(recorded("archives")).hasSize(1);
  }

  /** As flock answers on Lustre that is mounted without -o flock. */
  @Test
  void aFileSystemWithoutLocksIsNoReasonNotToBuild() throws Exception {
    Scripts.write(
        scratch.resolve("bin/flock"),
        "#!/bin/sh\necho 'flock: Function not implemented' >&2\nexit 65\n");

    Outcome outcome = launch("plan");

    assertThat(outcome.exitCode()).as(outcome.err()).isZero();
    assertThat(outcome.err()).doesNotContain("Waiting", "not implemented");
    assertThat(recorded("builds")).hasSize(1);
  }

  @Test
  void theCommandsArgumentsArriveAsTheyAre() throws Exception {
    launch("plan", "a b", "", "*", "$HOME", "--conf", "spark.x=not the launcher's");

    List<String> java = recorded("java");
    assertThat(java.subList(java.indexOf(MAIN_CLASS) + 1, java.size()))
        .containsExactly("plan", "a b", "", "*", "$HOME", "--conf", "spark.x=not the launcher's");
  }

  @Test
  void theCommandsExitCodeIsTheLaunchers() throws Exception {
    environment.put("EXIT", "3");

    assertThat(launch("verify").exitCode()).isEqualTo(3);
  }

  @Test
  void withoutAnInstallationJavaRunsOnMavensJars() throws Exception {
    launch("plan");

    assertThat(recorded("java"))
        .contains(
            "-Dopened=yes",
            "-Dclosed=no",
            "-Dspark.master=local[*,3]",
            "-Dspark.ui.enabled=false",
            "-Dspark.first=one word",
            "-Dspark.second=2",
            "-XX:SharedArchiveFile=" + project.resolve("target/launcher.jsa"))
        .containsSequence(
            "-cp",
            project.resolve("library.jar") + ":" + project.resolve("target/shardmend.jar"),
            MAIN_CLASS,
            "plan");
    assertThat(recorded("locale")).containsExactly("C.UTF-8");
  }

  @Test
  void masterAndSettingsComeBeforeTheCommand() throws Exception {
    launch("--master", "local[2]", "--conf", "spark.second=mine", "--conf=spark.k=a=b", "plan");

    assertThat(recorded("java"))
        .contains("-Dspark.master=local[2]", "-Dspark.k=a=b")
        .containsSubsequence("-Dspark.second=2", "-Dspark.second=mine");
  }

  @Test
  void theHeapIsSetByTheEnvironmentOrByTheDriversMemory() throws Exception {
    environment.put("SHARDMEND_HEAP", "512m");
    environment.put("SHARDMEND_JAVA_OPTS", "-Da=1 -Db=2");

    launch("--conf", "spark.driver.memory=2g", "plan");

    assertThat(recorded("java")).containsSubsequence("-Xmx2g", "-Xmx512m", "-Da=1", "-Db=2");
  }

  @Test
  void javaIsAskedFirstOnlyWhereTheUserSaysHowItStarts() throws Exception {
    launch("plan");
    assertThat(record.resolve("asked")).doesNotExist();

    environment.put("SHARDMEND_JAVA_OPTS", "-Da=1 -javaagent:/agent.jar -Db=2");
    environment.put("JDK_JAVA_OPTIONS", "-agentlib:jdwp");
    launch("plan");

    assertThat(recorded("asked"))
        .containsSubsequence("-Da=1", "-Db=2", "-version")
        .doesNotContain("-javaagent:/agent.jar");
    assertThat(recorded("java")).containsSequence("-Da=1", "-javaagent:/agent.jar", "-Db=2");
  }

  @ParameterizedTest
  @ValueSource(strings = {"abc", "512mb", "-1g", "0", "1.5g", " 1g", "1g -Dx=y"})
  void aHeapThatIsNoSizeIsRefusedByItsName(String heap) throws Exception {
    environment.put("SHARDMEND_HEAP", heap);

    Outcome outcome = launch("plan");

    assertThat(outcome.exitCode()).isEqualTo(2);
    assertThat(outcome.err())
        .isEqualTo(
            "shardmend: SHARDMEND_HEAP is %s, which is no size. Set it to one such as 512m or 4g.\n"
                .formatted(heap));
    assertThat(record.resolve("builds")).as("the build").doesNotExist();
  }

  /** Java ends with 1 then, before anything of ours runs. */
  @ParameterizedTest
  @CsvSource({
    "SHARDMEND_HEAP, 1k, Too small maximum heap",
    "SHARDMEND_HEAP, 90000000t, Invalid maximum heap size",
    "SHARDMEND_JAVA_OPTS, -Da=1 -XX:+NoSuchOption, NoSuchOption",
    "SHARDMEND_JAVA_OPTS, -Xmxabc, Invalid maximum heap size",
    "SHARDMEND_JAVA_OPTS, Da=1, Could not find or load main class Da=1",
    "SHARDMEND_JAVA_OPTS, -cp, requires",
    "JDK_JAVA_OPTIONS, -Xfoo, -Xfoo",
    "JAVA_TOOL_OPTIONS, -XX:+NoSuchOption, NoSuchOption"
  })
  void whatJavaDoesNotStartWithIsAWrongUseThatNamesTheVariable(
      String variable, String value, String reason) throws Exception {
    launch("plan");
    Files.delete(record.resolve("java"));
    takeTheRealJava();
    environment.put(variable, value);

    Outcome outcome = launch("plan");

    assertThat(outcome.exitCode()).as(outcome.err()).isEqualTo(2);
    assertThat(outcome.err())
        .startsWith("shardmend: Java does not start with %s=%s: ".formatted(variable, value))
        .contains(reason)
        .hasLineCount(1);
    assertThat(outcome.out()).isEmpty();
  }

  @Test
  void aSettingThatJavaDoesNotStartWithIsNamedToo() throws Exception {
    launch("plan");
    takeTheRealJava();

    Outcome outcome = launch("--conf", "spark.driver.memory=much", "plan");

    assertThat(outcome.exitCode()).isEqualTo(2);
    assertThat(outcome.err()).contains("Java does not start with spark.driver.memory=much: ");
  }

  @Test
  void whatSparkSubmitDoesNotStartWithIsFoundBeforeIt() throws Exception {
    launch("plan");
    Scripts.write(scratch.resolve("spark/bin/spark-submit"), SPARK_SUBMIT);
    environment.put("SPARK_HOME", scratch.resolve("spark").toString());
    takeTheRealJava();
    environment.put("SHARDMEND_JAVA_OPTS", "-Xfoo");

    Outcome outcome = launch("plan");

    assertThat(outcome.exitCode()).isEqualTo(2);
    assertThat(outcome.err()).contains("SHARDMEND_JAVA_OPTS=-Xfoo");
    assertThat(record.resolve("spark-submit")).doesNotExist();
  }

  @Test
  void wordsThatSparkSubmitTakesApartAreLeftToIt() throws Exception {
    Scripts.write(scratch.resolve("spark/bin/spark-submit"), SPARK_SUBMIT);
    environment.put("SPARK_HOME", scratch.resolve("spark").toString());
    environment.put("SHARDMEND_JAVA_OPTS", "-Dx='a b'");

    assertThat(launch("plan").exitCode()).isZero();
    assertThat(record.resolve("asked")).doesNotExist();
  }

  @Test
  void executorsInProcessesOfTheirOwnGetAFolderOfJars() throws Exception {
    launch("--master", "local-cluster[2,1,1024]", "plan");

    assertThat(project.resolve("target/spark-home/jars/library.jar")).isSymbolicLink();
    assertThat(recorded("java"))
        .contains("-Dspark.jars=" + project.resolve("target/shardmend.jar"));
  }

  @Test
  void aClusterThatNeedsAnInstallationIsRefusedWithoutOne() throws Exception {
    Outcome outcome = launch("--master", "yarn", "plan");

    assertThat(outcome.exitCode()).isEqualTo(2);
    assertThat(outcome.err()).contains("--master yarn needs a Spark installation");
  }

  @Test
  void anInstallationsSparkSubmitIsUsed() throws Exception {
    Scripts.write(scratch.resolve("spark/bin/spark-submit"), SPARK_SUBMIT);
    environment.put("SPARK_HOME", scratch.resolve("spark").toString());
    environment.put("EXIT", "4");

    Outcome outcome =
        launch("--master", "yarn", "--conf", "spark.submit.deployMode=cluster", "plan", "a b");

    assertThat(outcome.exitCode()).isEqualTo(4);
    assertThat(recorded("spark-submit"))
        .containsExactly(
            "--class",
            MAIN_CLASS,
            "--master",
            "yarn",
            "--conf",
            "spark.first=one word",
            "--conf",
            "spark.second=2",
            "--conf",
            "spark.submit.deployMode=cluster",
            project.resolve("target/shardmend.jar").toString(),
            "plan",
            "a b");
    assertThat(recorded("spark-submit-options"))
        .singleElement()
        .asString()
        .contains("-Dlog4j2.configurationFile=file://" + scratch + "/a%20project/conf");
  }

  @Test
  void onKubernetesTheImageHoldsTheJar() throws Exception {
    Scripts.write(scratch.resolve("spark/bin/spark-submit"), SPARK_SUBMIT);
    environment.put("SPARK_HOME", scratch.resolve("spark").toString());

    launch("--master", "k8s://https://kubernetes.default.svc:443", "plan");

    assertThat(recorded("spark-submit"))
        .containsSequence("local://" + project.resolve("target/shardmend.jar"), "plan");
  }

  @Test
  void aFolderThatOnlyHasJarsIsRunOn() throws Exception {
    Files.createDirectories(scratch.resolve("spark/jars"));
    environment.put("SPARK_HOME", scratch.resolve("spark").toString());

    launch("plan");

    assertThat(recorded("java"))
        .contains(scratch.resolve("spark") + "/jars/*:" + project.resolve("target/shardmend.jar"));
    assertThat(record.resolve("archives")).doesNotExist();
  }

  @Test
  void aFinishedBuildIsUsedAsItIs() throws Exception {
    launch("plan");
    Path build = Files.move(project.resolve("target"), scratch.resolve("build"));
    changeLater(project.resolve("pom.xml"));
    environment.put("SHARDMEND_BUILD", build.toString());

    Outcome outcome = launch("plan");

    assertThat(outcome.err()).isEmpty();
    assertThat(recorded("builds")).hasSize(1);
    assertThat(recorded("java"))
        .contains(project.resolve("library.jar") + ":" + build.resolve("shardmend.jar"));
  }

  @Test
  void aFinishedBuildWhoseLibrariesCannotBeReadIsSaid() throws Exception {
    launch("plan");
    Path build = scratch.resolve("build");
    copy(project.resolve("target/shardmend.jar"), build.resolve("shardmend.jar"));
    copy(project.resolve("target/launcher.options"), build.resolve("launcher.options"));
    Path library = scratch.resolve("of-another-user/library.jar");
    Files.writeString(
        build.resolve("launcher.classpath"), project.resolve("library.jar") + ":" + library);
    environment.put("SHARDMEND_BUILD", build.toString());
    Files.delete(record.resolve("java"));

    Outcome outcome = launch("plan");

    assertThat(outcome.exitCode()).isEqualTo(5);
    assertThat(outcome.err()).contains(library.toString(), "can't be read", "SPARK_HOME");
    assertThat(record.resolve("java")).doesNotExist();
  }

  @Test
  void worksThroughASymbolicLinkFromAnyFolder() throws Exception {
    Path link =
        Files.createSymbolicLink(scratch.resolve("bin/mend"), project.resolve("scripts/shardmend"));

    assertThat(run(process(link, "plan").directory(record.toFile())).exitCode()).isZero();
  }

  @Test
  void verboseShowsStackTraces() throws Exception {
    launch("plan");
    assertThat(recorded("java")).doesNotContain("-Dshardmend.log.exceptions=full");

    launch("plan", "--verbose");
    assertThat(recorded("java")).contains("-Dshardmend.log.exceptions=full");
  }

  @Test
  void anOldJavaIsRefusedByItsName() throws Exception {
    Files.writeString(scratch.resolve("jdk/release"), "JAVA_VERSION=\"1.8.0_392\"\n");

    Outcome outcome = launch("plan");

    assertThat(outcome.exitCode()).isEqualTo(5);
    assertThat(outcome.err())
        .contains(scratch.resolve("jdk/bin/java") + " is too old", "Java 17 or later");
  }

  @Test
  void aMissingMavenIsSaid() throws Exception {
    Files.delete(scratch.resolve("bin/mvn"));
    environment.put("PATH", pathWithoutMaven().toString());

    Outcome outcome = launch("plan");

    assertThat(outcome.exitCode()).isEqualTo(5);
    assertThat(outcome.err()).contains("Maven is missing");
  }

  @Test
  void aWrongSettingIsRefused() throws Exception {
    assertThat(launch("--conf", "spark.x", "plan").exitCode()).isEqualTo(2);
    assertThat(launch("--conf", "hadoop.x=1", "plan").exitCode()).isEqualTo(2);
    assertThat(launch("--master").exitCode()).isEqualTo(2);
  }

  /** The stand-in takes every option. */
  private void takeTheRealJava() throws IOException {
    Scripts.write(
        scratch.resolve("jdk/bin/java"),
        "#!/bin/sh\nexec '%s/bin/java' \"$@\"\n".formatted(System.getProperty("java.home")));
  }

  private Outcome launch(String... arguments) throws Exception {
    return run(process(project.resolve("scripts/shardmend"), arguments));
  }

  private ProcessBuilder process(Path launcher, String... arguments) {
    List<String> words = new ArrayList<>(List.of(launcher.toString()));
    words.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(words);
    builder.environment().clear();
    builder.environment().putAll(environment);
    return builder;
  }

  private Outcome run(ProcessBuilder builder) throws Exception {
    Path out = scratch.resolve("out");
    Path err = scratch.resolve("err");
    int exitCode =
        builder.redirectOutput(out.toFile()).redirectError(err.toFile()).start().waitFor();
    return new Outcome(exitCode, Files.readString(out), Files.readString(err));
  }

  private List<String> recorded(String what) throws IOException {
    return Files.readAllLines(record.resolve(what), StandardCharsets.UTF_8);
  }

  /** The tools that the launcher needs, and no mvn, wherever this machine has it. */
  private Path pathWithoutMaven() throws IOException {
    Path tools = Files.createDirectories(scratch.resolve("tools"));
    for (String tool : List.of("bash", "env", "readlink", "find", "flock")) {
      Path usual = Path.of("/usr/bin", tool);
      Path actual = Files.exists(usual) ? usual : Path.of("/bin", tool);
      Scripts.write(tools.resolve(tool), "#!/bin/sh\nexec " + actual + " \"$@\"\n");
    }
    return tools;
  }

  /** File times may be no finer than a second. */
  private static void changeLater(Path file) throws IOException {
    Files.setLastModifiedTime(file, FileTime.from(Instant.now().plusSeconds(5)));
  }

  private static void copy(Path from, Path to) throws IOException {
    Files.createDirectories(to.getParent());
    Files.copy(from, to, StandardCopyOption.COPY_ATTRIBUTES);
  }

  private record Outcome(int exitCode, String out, String err) {}
}
