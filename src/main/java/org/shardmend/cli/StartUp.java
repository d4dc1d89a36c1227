package org.shardmend.cli;

import java.io.IOException;
import java.util.List;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/**
 * Starts Spark, does a little of what each command asks of it, and stops. The launcher records the
 * classes that this loads, and maps them from a file in later starts.
 */
public final class StartUp {
  private StartUp() {}

  /**
   * Runs one job over an RDD, and writes and reads a Parquet table of one row.
   *
   * @param args the folder to write, which must not exist yet
   * @throws IOException when Spark can't be closed
   */
  public static void main(String[] args) throws IOException {
    try (SparkSession spark = SparkSession.builder().appName("shardmend start-up").getOrCreate()) {
      countTasks(JavaSparkContext.fromSparkContext(spark.sparkContext()));
      Dataset<Row> table = writeTable(spark, args[0]);
      table.groupBy("name").sum("bytes").collectAsList();
    }
  }

  private static int countTasks(JavaSparkContext context) {
    Broadcast<String> shared = context.broadcast("shared");
    return context
        .parallelize(List.of("first", "second"), 2)
        .map(name -> shared.value().length() + name.length())
        .reduce(Integer::sum);
  }

  private static Dataset<Row> writeTable(SparkSession spark, String folder) {
    StructType schema =
        new StructType().add("name", DataTypes.StringType).add("bytes", DataTypes.LongType);
    spark.createDataFrame(List.of(RowFactory.create("tensor", 1L)), schema).write().parquet(folder);
    return spark.read().schema(schema).parquet(folder);
  }
}
