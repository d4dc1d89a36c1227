package org.shardmend.storage;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.util.Arrays;
import org.apache.hadoop.conf.Configuration;

/**
 * Carries a Hadoop configuration from the driver to the executors. It may hold keys and passwords,
 * so none of it is ever shown.
 */
public final class HadoopSettings implements Serializable {
  private static final long serialVersionUID = 1L;

  /** What arrived last in this process: as a rule, what the next task brings as well. */
  private static volatile HadoopSettings last;

  private final byte[] written;

  /** Read only where a store needs it: reading takes longer than many a task. */
  private transient volatile Configuration configuration;

  private HadoopSettings(byte[] written, Configuration configuration) {
    this.written = written;
    this.configuration = configuration;
  }

  /** The settings as they are now; later changes to {@code configuration} play no part. */
  public static HadoopSettings of(Configuration configuration) {
    Configuration copy = new Configuration(configuration);
    return new HadoopSettings(write(copy), copy);
  }

  /** The settings; shared, so not to be changed. */
  public Configuration configuration() {
    Configuration known = configuration;
    if (known == null) {
      known = read(written);
      configuration = known;
    }
    return known;
  }

  /** The same settings are read once in a process, not by each of its tasks. */
  private Object readResolve() {
    HadoopSettings known = last;
    if (known != null && Arrays.equals(known.written, written)) {
      return known;
    }
    last = this;
    return this;
  }

  private static byte[] write(Configuration configuration) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      configuration.write(out);
    } catch (IOException e) {
      throw new UncheckedIOException("Memory cannot be written to.", e);
    }
    return bytes.toByteArray();
  }

  private static Configuration read(byte[] written) {
    // All that the defaults gave on the driver is in what was written.
    Configuration configuration = new Configuration(false);
    try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(written))) {
      configuration.readFields(in);
    } catch (IOException e) {
      throw new UncheckedIOException("Settings were cut short on their way.", e);
    }
    return configuration;
  }

  /** Says that there are settings, not which. */
  @Override
  public String toString() {
    return "HadoopSettings";
  }
}
