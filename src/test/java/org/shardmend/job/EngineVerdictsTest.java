package org.shardmend.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.shardmend.checkpoint.Finding;
import org.shardmend.checkpoint.UnitId;
import org.shardmend.checkpoint.expected.ExpectedState;
import org.shardmend.checkpoint.expected.ExpectedUnit;
import org.shardmend.checkpoint.layout.Layout;
import org.shardmend.job.spark.JobException;
import org.shardmend.job.spark.SparkJob;
import org.shardmend.job.verify.PartialExpectation;
import org.shardmend.job.verify.VerifyRequest;
import org.shardmend.job.verify.VerifyResult;
import org.shardmend.testing.SharedSparkJob;

/**
 * {@code verify --expected-state} says of each checkpoint what the engine's own loader did with it:
 * exit 0 exactly where it loaded every byte right.
 */
@ExtendWith(SharedSparkJob.class)
class EngineVerdictsTest {
  private static final Path PAGE = Path.of("src", "site", "markdown", "engine-verdicts.md");

  /** Where we say something else than the engine did, and why. */
  private static final SortedMap<String, String> DIFFERENCES =
      new TreeMap<>(
          Map.ofEntries(
              Map.entry(
                  "sharded_state/09-scalar-for-one",
                  "The engine broadcasts `[]` to `[1]`; the value is the same. It is said, since a"
                      + " saver of this model writes `[1]`."),
              Map.entry(
                  "sharded_state/11-f32-for-bf16-exact",
                  "The engine casts. These values are exact in BF16; that of any other is not known"
                      + " from headers."),
              Map.entry(
                  "sharded_state/53-u8-for-bool",
                  "The engine casts. These values are 0 and 1; any other would become 1."),
              Map.entry(
                  "sharded_state/44-duplicate-json-key",
                  "A name twice in one header: the reference reader takes the last. No honest"
                      + " writer makes such a file, and it is called malformed."),
              Map.entry(
                  "sharded_state/54-one-rank-repaired-only-bytes-differ",
                  "Names, types and shapes are right. Only the bytes tell."),
              Map.entry(
                  "presharded/P10-two-names-exchanged",
                  "The dump was written again with two names exchanged, sums and all. Only the"
                      + " bytes of the original model tell."),
              Map.entry(
                  "presharded/P15-world-size",
                  "This loader does not look at `world_size`. servekit and a repair do, and find"
                      + " the dump inconsistent."),
              Map.entry(
                  "huggingface/H06-index-places-elsewhere",
                  "This loader reads all files whole. One that follows the index to each tensor"
                      + " stops, and `verify` goes by the strict ones.")));

  @TempDir private static Path directory;

  private static EngineCases cases;
  private static Actions actions;
  private static final Map<String, Verdict> VERDICTS = new TreeMap<>();

  /**
   * What we say of a case.
   *
   * @param exit verify's exit code
   * @param faults the faults' codes
   * @param warnings the findings' codes
   */
  private record Verdict(int exit, Set<String> faults, Set<String> warnings) {
    static Verdict of(VerifyResult result) {
      return new Verdict(
          result.ok() ? 0 : 3,
          codes(result.faults().stream().map(Finding::code)),
          codes(result.findings().stream().map(Finding::code)));
    }

    private static Set<String> codes(Stream<String> codes) {
      return codes.collect(Collectors.toCollection(TreeSet::new));
    }
  }

  @BeforeAll
  static void verifyEach(SparkJob job) throws Exception {
    cases = EngineCases.unpack(directory);
    actions = Actions.withDefaultRules(job);
    for (EngineCases.Case one : cases.all()) {
      VERDICTS.put(one.name(), Verdict.of(verify(one.name(), cases.expected(one.layout()))));
    }
  }

  @ParameterizedTest
  @MethodSource("all")
  void weSayWhatTheEngineSays(EngineCases.Case one) {
    boolean agrees = one.loads() == (VERDICTS.get(one.name()).exit() == 0);

    assertThat(agrees)
        .as("%s: the engine %s, we say %s", one.name(), one.engine(), VERDICTS.get(one.name()))
        .isEqualTo(!DIFFERENCES.containsKey(one.name()));
  }

  static List<EngineCases.Case> all() {
    return cases.all();
  }

  @Test
  void thePageShowsEachVerdict() throws IOException {
    String page = page();
    if (!Files.exists(PAGE) || !Files.readString(PAGE).equals(page)) {
      Path generated = Files.createDirectories(Path.of("target")).resolve(PAGE.getFileName());
      Files.writeString(generated, page);
      fail(
          "%s is not what the verdicts give. Look at the differences and copy %s over it.",
          PAGE, generated);
    }
  }

  @Test
  void theFindingsPageNamesEachDifference() throws IOException {
    List<String> numbers =
        DIFFERENCES.keySet().stream()
            .map(name -> "`" + name.substring(0, name.indexOf('-')) + "`")
            .toList();

    assertThat(Files.readString(PAGE.resolveSibling("findings.md"))).contains(numbers);
  }

  @Test
  void ofARankWithoutAnExpectationOneMessageIsSaid() throws Exception {
    for (UnitId lost :
        List.of(new UnitId(0, 0), new UnitId(0, 1), new UnitId(1, 0), new UnitId(1, 1))) {
      VerifyResult result = verify("sharded_state/01-healthy", expectedBut(lost));

      assertThat(result.faults())
          .singleElement()
          .satisfies(
              fault -> {
                assertThat(fault.code()).isEqualTo("no-expectation");
                assertThat(fault.message()).startsWith("no expectation for " + lost.label() + ": ");
              });
    }
  }

  @Test
  void aWholeStageWithoutAnExpectationIsNotTakenForOneThatNothingReads() throws Exception {
    VerifyResult result =
        verify("sharded_state/01-healthy", expectedBut(new UnitId(1, 0), new UnitId(1, 1)));

    assertThat(result.faults()).extracting(Finding::code).containsOnly("no-expectation").hasSize(2);
  }

  @Test
  void aPartialExpectationIsEnoughForWhoSaysSo() throws Exception {
    VerifyResult result =
        actions.verify(
            new VerifyRequest(
                    actions.of(cases.checkpoint("sharded_state/01-healthy")),
                    VerifyRequest.Depth.HEADERS)
                .expected(expectedBut(new UnitId(1, 1)))
                .partialExpectation(PartialExpectation.ACCEPTED));

    assertThat(result.ok()).isTrue();
    assertThat(result.findings()).extracting(Finding::code).contains("no-expectation");
  }

  @Test
  void withoutAnExpectationWhatIsOddStaysAFault() throws Exception {
    for (String name :
        List.of(
            "27-parts-numbered-1-2",
            "28-parts-numbered-0-2",
            "50-part-with-suffix",
            "51-all-parts-zero-padded",
            "60-stray-save-marker")) {
      VerifyResult result = actions.verify(cases.checkpoint("sharded_state/" + name));

      assertThat(result.ok()).as(name).isFalse();
    }
  }

  @Test
  void whatIsOddIsAFaultWhereTheExpectationIsNotMet() throws Exception {
    VerifyResult result =
        verify("sharded_state/15-rank-missing", cases.expected(Layout.SHARDED_STATE));

    assertThat(result.faults())
        .extracting(Finding::message)
        .anyMatch(m -> m.startsWith("pp 1, tp 1 is expected"))
        .anyMatch(
            m ->
                m.startsWith(
                    "pipeline stage 1: tp rank 1 has no files. Pipeline stage 0 has files of rank"
                        + " 1."));
  }

  private static ExpectedState expectedBut(UnitId... lost) throws JobException {
    List<ExpectedUnit> units = new ArrayList<>(cases.expected(Layout.SHARDED_STATE).units());
    units.removeIf(unit -> List.of(lost).contains(unit.ranks()));
    return ExpectedState.of(units);
  }

  private static VerifyResult verify(String name, ExpectedState expected) throws JobException {
    return actions.verify(
        new VerifyRequest(actions.of(cases.checkpoint(name)), VerifyRequest.Depth.FULL)
            .expected(expected));
  }

  private static String page() {
    StringBuilder page =
        new StringBuilder(
            """
                # What an engine does, and what we say

                Each row is a checkpoint that an engine's own saver wrote (a toy model with MLA, TP=2, PP=2, and
                its merged presharded dump, and a Hugging Face directory) and that was then broken, or made odd, in
                one way. *The engine* is what its own loader did with it: `loads` (all ranks, every byte as it was
                saved), `stops`, `loads wrong bytes` (without a word), `dumps anew` (it deletes READY and writes the
                dump again). *verify* is the exit code of `verify --expected-state --full`:
                0 should stand exactly where the engine loads.

                Warnings that the healthy save of the same layout has, too, are left out.
            The test `EngineVerdictsTest` generates this page and fails when it is not what the verdicts give.

                | case | the engine | verify | faults | warnings |
                |---|---|---|---|---|
            """);
    for (EngineCases.Case one : cases.all()) {
      Verdict verdict = VERDICTS.get(one.name());
      page.append(
          "| `%s`%s | %s | %d | %s | %s |\n"
              .formatted(
                  one.name(),
                  DIFFERENCES.containsKey(one.name()) ? " (differs)" : "",
                  one.engine(),
                  verdict.exit(),
                  shown(verdict.faults()),
                  shown(ownWarnings(one))));
    }
    page.append(
        """

        ## Where we differ, and why

        | case | the engine | we say | why |
        |---|---|---|---|
        """);
    for (EngineCases.Case one : cases.all()) {
      if (DIFFERENCES.containsKey(one.name())) {
        page.append(
            "| `%s` | %s | exit %d | %s |\n"
                .formatted(
                    one.name(),
                    one.engine(),
                    VERDICTS.get(one.name()).exit(),
                    DIFFERENCES.get(one.name())));
      }
    }
    return page.toString();
  }

  /** What is said of the healthy save, too, is of the model, and not of what was done to it. */
  private static Set<String> ownWarnings(EngineCases.Case one) {
    Set<String> warnings = new TreeSet<>(VERDICTS.get(one.name()).warnings());
    cases.all().stream()
        .filter(other -> other.layout() == one.layout() && other.name().endsWith("-healthy"))
        .forEach(healthy -> warnings.removeAll(VERDICTS.get(healthy.name()).warnings()));
    return warnings;
  }

  private static String shown(Set<String> codes) {
    return codes.stream().map(code -> "`" + code + "`").collect(Collectors.joining(", "));
  }
}
