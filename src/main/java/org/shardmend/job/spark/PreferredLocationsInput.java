package org.shardmend.job.spark;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.Writable;
import org.apache.hadoop.mapreduce.InputFormat;
import org.apache.hadoop.mapreduce.InputSplit;
import org.apache.hadoop.mapreduce.JobContext;
import org.apache.hadoop.mapreduce.RecordReader;
import org.apache.hadoop.mapreduce.TaskAttemptContext;

/**
 * An input that says where tasks run best, and nothing else: one split a task, in order, with the
 * task's hosts and a single empty record. Zipped with the tasks it places them, because Spark asks
 * the splits of an input for their hosts; Spark's Java API has no other way to say so.
 */
public final class PreferredLocationsInput extends InputFormat<NullWritable, NullWritable> {
  private static final String HOSTS = "shardmend.placement.hosts";
  private static final String BETWEEN_TASKS = ";";
  private static final String BETWEEN_HOSTS = ",";

  /**
   * The settings from which the splits are made.
   *
   * @param hosts each task's hosts, best first; empty where any will do
   */
  public static Configuration configuration(
      Configuration base, List<? extends Collection<String>> hosts) {
    Configuration configuration = new Configuration(base);
    configuration.set(
        HOSTS,
        hosts.stream()
            .map(each -> String.join(BETWEEN_HOSTS, each))
            .collect(Collectors.joining(BETWEEN_TASKS)));
    return configuration;
  }

  @Override
  public List<InputSplit> getSplits(JobContext context) {
    List<InputSplit> splits = new ArrayList<>();
    for (String hosts : context.getConfiguration().get(HOSTS, "").split(BETWEEN_TASKS, -1)) {
      splits.add(new Split(hosts));
    }
    return splits;
  }

  @Override
  public RecordReader<NullWritable, NullWritable> createRecordReader(
      InputSplit split, TaskAttemptContext context) {
    return new OneRecord();
  }

  /** Where one task runs best. */
  public static final class Split extends InputSplit implements Writable {
    private String hosts;

    /** For Hadoop, which fills it by {@link #readFields}. */
    public Split() {
      this("");
    }

    private Split(String hosts) {
      this.hosts = hosts;
    }

    /** More than nothing: Spark leaves empty splits out. */
    @Override
    public long getLength() {
      return 1;
    }

    @Override
    public String[] getLocations() {
      return hosts.isEmpty() ? new String[0] : hosts.split(BETWEEN_HOSTS, -1);
    }

    @Override
    public void write(DataOutput out) throws IOException {
      out.writeUTF(hosts);
    }

    @Override
    public void readFields(DataInput in) throws IOException {
      hosts = in.readUTF();
    }
  }

  private static final class OneRecord extends RecordReader<NullWritable, NullWritable> {
    private boolean read;

    @Override
    public void initialize(InputSplit split, TaskAttemptContext context) {}

    @Override
    public boolean nextKeyValue() {
      boolean first = !read;
      read = true;
      return first;
    }

    @Override
    public NullWritable getCurrentKey() {
      return NullWritable.get();
    }

    @Override
    public NullWritable getCurrentValue() {
      return NullWritable.get();
    }

    @Override
    public float getProgress() {
      return read ? 1 : 0;
    }

    @Override
    public void close() {}
  }
}
