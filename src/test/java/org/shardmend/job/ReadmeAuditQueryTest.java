package org.shardmend.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.shardmend.job.spark.SparkJob;
import org.shardmend.plan.Plan;
import org.shardmend.testing.SharedSparkJob;
import org.shardmend.trial.Fault;

/** The README's query over the audit of a repair gives the counts of its plan. */
@Tag("smoke")
@ExtendWith(SharedSparkJob.class)
class ReadmeAuditQueryTest {
  private static final Pattern QUERY = Pattern.compile("```sql\\n(.*?)```", Pattern.DOTALL);
  private static final String EXAMPLE = "REPAIRED";

  @TempDir private Path scratch;

  @ParameterizedTest
  @EnumSource(names = {"ALIAS_ONLY", "MIXED"})
  void theQueryGivesTheCountsOfThePlan(Fault fault, SparkJob job) throws Exception {
    Path source = scratch.resolve("source");
    Path output = scratch.resolve("repaired");
    Actions actions = Actions.withDefaultRules(job);
    Actions.generate(source, fault);
    Plan plan = actions.plan(source);
    actions.repair(source, output);

    SparkSession spark = SparkSession.builder().sparkContext(job.spark().sc()).getOrCreate();
    Map<String, Long> counts = new TreeMap<>();
    for (Row row : spark.sql(query(output)).collectAsList()) {
      counts.put(row.getAs("action"), row.getAs("tensors"));
    }

    Map<String, Long> planned = new TreeMap<>(plan.counts().byName());
    planned.values().removeIf(count -> count == 0);
    assertThat(counts).isEqualTo(planned);
  }

  private static String query(Path output) throws IOException {
    Matcher query = QUERY.matcher(Files.readString(Path.of("README.md")));
    assertThat(query.find()).as("a query in README.md").isTrue();
    assertThat(query.group(1)).contains(EXAMPLE);
    return query.group(1).replace(EXAMPLE, output.toString());
  }
}
