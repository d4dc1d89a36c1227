package org.shardmend.testing;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/**
 * A catalog of Apache Iceberg's whose tables are in a directory.
 *
 * @param name as Spark's SQL has it
 * @param warehouse the directory; it need not exist
 */
public record IcebergCatalog(String name, Path warehouse) {
  /** What tells Spark of it. */
  public Map<String, String> settings() {
    String setting = "spark.sql.catalog." + name;
    Map<String, String> settings = new LinkedHashMap<>();
    settings.put(setting, "org.apache.iceberg.spark.SparkCatalog");
    settings.put(setting + ".type", "hadoop");
    settings.put(setting + ".warehouse", warehouse.toString());
    return settings;
  }

  /** The same, as the command line takes it. */
  public List<String> options() {
    return settings().entrySet().stream()
        .flatMap(setting -> List.of("--conf", setting.getKey() + "=" + setting.getValue()).stream())
        .toList();
  }

  /** Makes it known to a session that runs. */
  public void addTo(SparkSession spark) {
    settings().forEach((key, value) -> spark.conf().set(key, value));
  }

  /** The rows that a query gives, in which {@code %s} stands for this catalog's name. */
  public List<Row> rows(SparkSession spark, String query) {
    addTo(spark);
    return spark.sql(query.replace("%s", name)).collectAsList();
  }
}
