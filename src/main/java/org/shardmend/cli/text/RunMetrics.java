package org.shardmend.cli.text;

import com.fasterxml.jackson.databind.JsonNode;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What a run did, as numbers for Prometheus: gauges of the last run, each with the command as a
 * label. They are taken from the command's document, so that both say the same.
 *
 * @param command its name
 * @param document what it answered
 * @param exit the process's exit code
 * @param seconds how long it took
 * @param finished when it ended
 */
public record RunMetrics(
    String command, JsonNode document, ExitCode exit, double seconds, Instant finished) {

  private static final String COMMAND = "command";

  /** In Prometheus's text format, version 0.0.4. */
  public byte[] text() {
    MetricSnapshots.Builder metrics =
        MetricSnapshots.builder()
            .metricSnapshot(
                byLabel(
                    "shardmend_runs",
                    "Checkpoints that the last run dealt with, by how that ended.",
                    "outcome",
                    outcomes()))
            .metricSnapshot(
                one("shardmend_refused", "Checkpoints that the last run refused.", refused()))
            .metricSnapshot(
                one(
                    "shardmend_not_looked_at",
                    "What the last run found to look like a checkpoint inside of another one.",
                    document.path("not_looked_at").size()))
            .metricSnapshot(
                one("shardmend_shards", "Shards that the last run dealt with.", shards()))
            .metricSnapshot(
                byLabel(
                    "shardmend_tensors",
                    "Tensors that the last run dealt with, by what became of them.",
                    "action",
                    members(document.path("counts"))))
            .metricSnapshot(
                bytes("shardmend_read_bytes", "Bytes that the last run read.", "bytes_read"))
            .metricSnapshot(
                bytes("shardmend_written_bytes", "Bytes that the last run wrote.", "bytes_written"))
            .metricSnapshot(one("shardmend_run_seconds", "How long the last run took.", seconds))
            .metricSnapshot(
                one("shardmend_exit_code", "The exit code of the last run.", exit.code()))
            .metricSnapshot(
                one(
                    "shardmend_finished_timestamp_seconds",
                    "When the last run ended, in seconds since 1970.",
                    finished.toEpochMilli() / 1e3));
    ByteArrayOutputStream text = new ByteArrayOutputStream();
    try {
      PrometheusTextFormatWriter.create().write(text, metrics.build());
    } catch (IOException e) {
      throw new UncheckedIOException("Writing to memory failed", e);
    }
    return text.toByteArray();
  }

  private Map<String, Double> outcomes() {
    JsonNode swept = document.path("outcomes");
    return swept.isObject() ? members(swept) : Map.of(document.path("outcome").asText(), 1.0);
  }

  private double refused() {
    Map<String, Double> outcomes = outcomes();
    return outcomes.getOrDefault("refused", 0.0) + outcomes.getOrDefault("refused-before", 0.0);
  }

  private double shards() {
    JsonNode strategies = document.path("strategies");
    return strategies.isObject()
        ? members(strategies).values().stream().mapToDouble(Double::doubleValue).sum()
        : document.path("shards").asDouble();
  }

  private static Map<String, Double> members(JsonNode object) {
    Map<String, Double> members = new LinkedHashMap<>();
    for (Map.Entry<String, JsonNode> member : object.properties()) {
      members.put(member.getKey(), member.getValue().asDouble());
    }
    return members;
  }

  private GaugeSnapshot bytes(String name, String help, String member) {
    return one(name, help, document.path(member).asDouble());
  }

  private GaugeSnapshot one(String name, String help, double value) {
    return GaugeSnapshot.builder()
        .name(name)
        .help(help)
        .dataPoint(point(Labels.of(COMMAND, command), value))
        .build();
  }

  private GaugeSnapshot byLabel(
      String name, String help, String label, Map<String, Double> values) {
    GaugeSnapshot.Builder gauge = GaugeSnapshot.builder().name(name).help(help);
    values.forEach(
        (key, value) -> gauge.dataPoint(point(Labels.of(COMMAND, command, label, key), value)));
    return gauge.build();
  }

  private static GaugeSnapshot.GaugeDataPointSnapshot point(Labels labels, double value) {
    return GaugeSnapshot.GaugeDataPointSnapshot.builder().labels(labels).value(value).build();
  }
}
