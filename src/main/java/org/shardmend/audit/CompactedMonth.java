package org.shardmend.audit;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What a compaction made of one month: the manifest that switches readers from the runs' own files
 * to the compacted ones.
 *
 * @param month as {@code yyyy-mm}
 * @param generation counts the month's compactions, from 1; the highest counts
 * @param runs the runs whose rows are in {@code files}, and nowhere else
 * @param files by the table's name, relative to the audit's root
 */
record CompactedMonth(
    String month, int generation, SortedSet<RunId> runs, SortedMap<String, List<String>> files) {
  private static final String FORMAT = "audit-compaction/1";
  private static final ObjectMapper JSON = new ObjectMapper();

  /** The compacted files of a table. */
  List<String> filesOf(AuditTable<?> table) {
    return files.getOrDefault(table.name(), List.of());
  }

  /** The manifest's content. */
  byte[] toJson() {
    ObjectNode manifest = JSON.createObjectNode();
    manifest.put("format", FORMAT);
    ArrayNode runIds = manifest.putArray("runs");
    runs.forEach(run -> runIds.add(run.value()));
    ObjectNode byTable = manifest.putObject("files");
    files.forEach(
        (table, names) -> {
          ArrayNode list = byTable.putArray(table);
          names.forEach(list::add);
        });
    try {
      return JSON.writeValueAsBytes(manifest);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("A tree of texts and lists can always be written", e);
    }
  }

  /**
   * Reads a manifest.
   *
   * @param origin where it is, for messages
   * @throws IOException if it is not one
   */
  static CompactedMonth parse(byte[] json, String month, int generation, String origin)
      throws IOException {
    try {
      JsonNode manifest = JSON.readTree(json);
      if (!manifest.path("format").asText().equals(FORMAT)) {
        throw new IOException(
            "%s is not a compaction's manifest that this version can read: its format is '%s', not '%s'."
                .formatted(origin, manifest.path("format").asText(), FORMAT));
      }
      SortedSet<RunId> runs = new TreeSet<>();
      manifest.path("runs").forEach(run -> runs.add(new RunId(run.asText())));
      SortedMap<String, List<String>> files = new TreeMap<>();
      for (AuditTable<?> table : AuditTable.inAppendOrder()) {
        List<String> names = new ArrayList<>();
        for (JsonNode name : manifest.path("files").path(table.name())) {
          names.add(requireCompacted(name.asText(), table, month));
        }
        files.put(table.name(), names);
      }
      return new CompactedMonth(month, generation, runs, files);
    } catch (JsonProcessingException | IllegalArgumentException e) {
      throw new IOException(
          "%s is damaged: %s. Restore it, or the rows of its month can't be counted."
              .formatted(origin, e.getMessage()),
          e);
    }
  }

  /** What is read of an audit lies in it, whoever wrote the manifest. */
  private static String requireCompacted(String name, AuditTable<?> table, String month) {
    String file = name.substring(name.lastIndexOf('/') + 1);
    if (!AuditLayout.isCompactedFile(file)
        || !name.equals(AuditLayout.directory(table, month) + "/" + file)) {
      throw new IllegalArgumentException(
          "it names '%s', which no compaction writes".formatted(name));
    }
    return name;
  }
}
