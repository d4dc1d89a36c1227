import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;

/** Starts Spark and stops it: what any Spark application costs before it does anything. */
final class EmptyApplication {
  private EmptyApplication() {}

  public static void main(String[] args) {
    SparkConf conf =
        new SparkConf()
            .setMaster(args[0])
            .setAppName("empty")
            .set("spark.ui.enabled", "false")
            .set("spark.driver.bindAddress", "127.0.0.1")
            .set("spark.driver.host", "127.0.0.1");
    try (JavaSparkContext spark = new JavaSparkContext(conf)) {
      System.out.println(spark.version());
    }
  }
}
