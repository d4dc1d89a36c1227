package org.shardmend.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ByteSizeTest {

  @ParameterizedTest
  @CsvSource({
    "0, 0",
    "4096, 4096",
    "7B, 7",
    "100MB, 100000000",
    "100 mb, 100000000",
    "1500GB, 1500000000000",
    "1.5TB, 1500000000000",
    "5GiB, 5368709120",
    "0.5KiB, 512",
    "2PiB, 2251799813685248",
    "9223372036854775807, 9223372036854775807"
  })
  void readsDecimalAndBinaryUnits(String text, long bytes) {
    assertThat(ByteSize.parse(text)).isEqualTo(bytes);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", "-1", "GB", "1e9", "1,5GB", "1.GB", "5GiB ", "0x10", "5  GB"})
  void refusesWhatIsNoSizeAndSaysWhatWouldBe(String text) {
    assertThatThrownBy(() -> ByteSize.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'" + text + "'")
        .hasMessageContaining("5GiB");
  }

  @ParameterizedTest
  @ValueSource(strings = {"5G", "5Gb2", "3EB", "1 bytes"})
  void refusesAnUnknownUnitByName(String text) {
    assertThatThrownBy(() -> ByteSize.parse(text)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void refusesAFractionOfAByte() {
    assertThatThrownBy(() -> ByteSize.parse("1.0005kB"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("whole number");
  }

  @ParameterizedTest
  @ValueSource(strings = {"9223372036854775808", "9300PB", "9999999999999999999PiB"})
  void refusesWhatDoesNotFit(String text) {
    assertThatThrownBy(() -> ByteSize.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("too large");
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0 B",
    "999, 999 B",
    "1000, 1 kB",
    "1049, 1 kB",
    "1050, 1.1 kB",
    "99949, 99.9 kB",
    "99950, 100 kB",
    "640000000000, 640 GB",
    "999499, 999 kB",
    "999500, 1 MB",
    "1500000000000, 1.5 TB",
    "9223372036854775807, 9.2 EB"
  })
  void showsThreeDigitsAtMost(long bytes, String shown) {
    assertThat(ByteSize.format(bytes)).isEqualTo(shown);
  }

  @Property(tries = 200)
  void whatIsShownIsWithinFivePercent(@ForAll @LongRange(min = 1000, max = 1L << 49) long bytes) {
    double read = ByteSize.parse(ByteSize.format(bytes));
    assertThat(Math.abs(read - bytes)).isLessThanOrEqualTo(bytes * 0.05);
  }
}
