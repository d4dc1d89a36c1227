package org.shardmend.job.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.shardmend.job.spark.JobException;
import org.shardmend.rules.RuleFamily;

/** Which families are active, by what the command line names. */
class RuleSourcesTest {
  private static final String DEFAULT = "mla-kv-b-proj";

  @TempDir private Path directory;

  private String file(String family, String target) throws IOException {
    String text =
        """
        {"name": "%s", "about": "For a test.", "layouts": ["sharded_state"], "default": false,
         "rules": [{"from": "(?<at>.*)\\\\.old", "to": "${at}.%s", "examples": [["a.old", "a.%s"]]}]}
        """
            .formatted(family, target, target);
    return Files.writeString(directory.resolve(family + "-" + target + ".json"), text).toString();
  }

  private static List<String> names(List<RuleFamily> families) {
    return families.stream().map(RuleFamily::name).toList();
  }

  @Test
  void theDefaultFamiliesAreActiveBesideTheNamedOnes() throws Exception {
    assertThat(names(RuleSources.defaultsAnd(List.of("lora-base-layer", file("mine", "new")))))
        .containsExactly(DEFAULT, "lora-base-layer", "mine");
    assertThat(names(RuleSources.only(List.of("lora-base-layer"))))
        .containsExactly("lora-base-layer");
  }

  @Test
  void aFamilyThatIsNamedTwiceIsActiveOnce() throws Exception {
    String mine = file("mine", "new");

    assertThat(names(RuleSources.defaultsAnd(List.of(DEFAULT, mine, mine))))
        .containsExactly(DEFAULT, "mine");
  }

  /** Its rules would silently not be applied, or could not be told apart in the audit. */
  @Test
  void anotherFamilyOfTheSameNameIsRefused() throws Exception {
    String namesake = file(DEFAULT, "new");

    JobException refusal =
        catchThrowableOfType(JobException.class, () -> RuleSources.defaultsAnd(List.of(namesake)));
    assertThat(refusal.kind()).isEqualTo(JobException.Kind.USAGE);
    assertThat(refusal.code()).isEqualTo("rules-namesake");
    assertThat(refusal)
        .hasMessageContaining(namesake)
        .hasMessageContaining(DEFAULT)
        .hasMessageContaining("--no-default-rules");
    assertThat(names(RuleSources.only(List.of(namesake)))).containsExactly(DEFAULT);

    List<String> twoOfOneName = List.of(file("mine", "new"), file("mine", "newer"));
    assertThat(catchThrowableOfType(JobException.class, () -> RuleSources.only(twoOfOneName)))
        .hasMessageContaining("Give it a name of its own.");
  }
}
