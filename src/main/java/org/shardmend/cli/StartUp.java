package org.shardmend.cli;

import java.io.IOException;
import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.shardmend.cli.text.ExitCode;

/**
 * Repairs a small checkpoint, reads a small table, and so loads the libraries' classes that the
 * commands need. The launcher records these, and maps them from a file in later starts.
 */
public final class StartUp {
  private StartUp() {}

  /**
   * Runs the commands, then writes and reads a Parquet table of one row.
   *
   * @param args a folder to write into
   * @throws IOException when Spark can't be closed
   */
  public static void main(String[] args) throws IOException {
    String broken = args[0] + "/broken";
    String repaired = args[0] + "/repaired";
    run(ExitCode.DONE, "generate", broken);
    run(ExitCode.FOUND, "plan", broken);
    run(ExitCode.DONE, "repair", broken, "--output", repaired);
    run(ExitCode.DONE, "verify", repaired);
    run(ExitCode.DONE, "repair", broken, "--in-place");
    run(ExitCode.DONE, "rollback", broken);
    try (SparkSession spark = SparkSession.builder().appName("shardmend start-up").getOrCreate()) {
      Dataset<Row> table = writeTable(spark, args[0] + "/table");
      table.groupBy("name").sum("bytes").collectAsList();
    }
  }

  private static void run(ExitCode expected, String... command) {
    int code = Main.run(command);
    if (code != expected.code()) {
      throw new IllegalStateException(String.join(" ", command) + " ended with " + code);
    }
  }

  private static Dataset<Row> writeTable(SparkSession spark, String folder) {
    StructType schema =
        new StructType().add("name", DataTypes.StringType).add("bytes", DataTypes.LongType);
    spark.createDataFrame(List.of(RowFactory.create("tensor", 1L)), schema).write().parquet(folder);
    return spark.read().schema(schema).parquet(folder);
  }
}
