package org.shardmend.storage;

import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import org.apache.hadoop.conf.Configuration;

/**
 * Carries a Hadoop configuration from the driver to the executors. It may hold keys and passwords,
 * so none of it is ever shown.
 */
public final class HadoopSettings implements Serializable {
  private static final long serialVersionUID = 1L;

  private transient Configuration configuration;

  private HadoopSettings(Configuration configuration) {
    this.configuration = configuration;
  }

  /** The settings as they are now; later changes to {@code configuration} play no part. */
  public static HadoopSettings of(Configuration configuration) {
    return new HadoopSettings(new Configuration(configuration));
  }

  /** The settings; shared, so not to be changed. */
  public Configuration configuration() {
    return configuration;
  }

  private void writeObject(ObjectOutputStream out) throws IOException {
    out.defaultWriteObject();
    configuration.write(out);
  }

  private void readObject(ObjectInputStream in) throws IOException, ClassNotFoundException {
    in.defaultReadObject();
    // All that the defaults gave on the driver is in what was written.
    configuration = new Configuration(false);
    configuration.readFields(in);
  }

  /** Says that there are settings, not which. */
  @Override
  public String toString() {
    return "HadoopSettings";
  }
}
