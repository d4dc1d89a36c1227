package org.shardmend.storage;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;

class HadoopSettingsTest {
  @Test
  void settingsThatEachTaskBringsAlongAreReadOnceInAProcess() throws Exception {
    byte[] sent = written(settings("one"));

    HadoopSettings first = arrived(sent);
    HadoopSettings second = arrived(sent);

    assertThat(second.configuration()).isSameAs(first.configuration());
    assertThat(second.configuration().get("our.value")).isEqualTo("one");
  }

  @Test
  void otherSettingsAreNotTakenForTheLastOnes() throws Exception {
    HadoopSettings one = arrived(written(settings("one")));
    HadoopSettings two = arrived(written(settings("two")));

    assertThat(one.configuration().get("our.value")).isEqualTo("one");
    assertThat(two.configuration().get("our.value")).isEqualTo("two");
  }

  private static HadoopSettings settings(String value) {
    Configuration configuration = new Configuration(false);
    configuration.set("our.value", value);
    return HadoopSettings.of(configuration);
  }

  private static byte[] written(HadoopSettings settings) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(settings);
    }
    return bytes.toByteArray();
  }

  private static HadoopSettings arrived(byte[] sent) throws IOException, ClassNotFoundException {
    try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(sent))) {
      return (HadoopSettings) in.readObject();
    }
  }
}
