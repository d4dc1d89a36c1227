package org.shardmend.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RunIdTest {
  private static RunId at(String instant, ZoneId zone, int salt) {
    RandomGenerator fixed = () -> (long) salt << 32;
    return RunId.next(Clock.fixed(Instant.parse(instant), zone), fixed);
  }

  @Test
  void isMadeOfTheUtcSecondAndEightHexDigits() {
    assertThat(at("2026-11-30T23:59:58.999Z", ZoneId.of("Asia/Tokyo"), 0x0a2b3c4d))
        .isEqualTo(new RunId("r20261130T235958Z-0a2b3c4d"));
  }

  @Test
  void keepsAllDigitsOfANegativeSalt() {
    assertThat(at("2026-01-02T03:04:05Z", ZoneId.of("UTC"), -1))
        .hasToString("r20260102T030405Z-ffffffff");
  }

  @Test
  void knowsTheMonthOfItsRows() {
    assertThat(new RunId("r20260102T030405Z-ffffffff").month()).isEqualTo("2026-01");
  }

  @Test
  void sortsByTime() {
    assertThat(new RunId("r20261130T235959Z-00000000"))
        .isGreaterThan(new RunId("r20261130T081500Z-ffffffff"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "1e10", "r20261130T081500Z", "r20261130T081500Z-1A2B3C4D", "../r20261130"})
  void refusesOtherTexts(String text) {
    assertThatThrownBy(() -> new RunId(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'" + text + "'")
        .hasMessageContaining("r20261130T081500Z-1a2b3c4d");
  }
}
