package org.shardmend.job;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.shardmend.job.repair.RepairResult;
import org.shardmend.job.spark.Progress;
import org.shardmend.job.spark.SparkJob;

/**
 * A process of its own, with the heap that its caller gives it and four task slots, that repairs
 * shards with headers as large as the format allows.
 */
final class LargeHeaders {
  static final int HEADER_BYTES = 100_000_000;
  private static final String ALIAS = "model.layers.0.self_attn.attn_mha.kv_b_proj.weight";

  private LargeHeaders() {}

  /** The name of a rank's only shard. */
  static String shard(int rank) {
    return "model-rank-%d-part-0.safetensors".formatted(rank);
  }

  /** Shards whose headers are at the limit, nearly all of it free-form strings. */
  static void writeLongMetadata(Path directory, int ranks) throws IOException {
    Files.createDirectories(directory);
    String value = "x".repeat(15_000_000);
    String tensors =
        "},\"%s\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0,4]}}".formatted(ALIAS);
    Path first = directory.resolve(shard(0));
    try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(first), 1 << 20)) {
      out.write(lengthOf(HEADER_BYTES));
      int rest = HEADER_BYTES - print("{\"__metadata__\":{", out);
      for (int i = 0; i < 6; i++) {
        rest -= print((i == 0 ? "" : ",") + "\"k" + i + "\":\"" + value + "\"", out);
      }
      rest -= print(tensors, out);
      print(" ".repeat(rest), out);
      out.write(new byte[4]);
    }
    for (int rank = 1; rank < ranks; rank++) {
      Files.copy(first, directory.resolve(shard(rank)));
    }
  }

  private static byte[] lengthOf(long header) {
    return ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN).putLong(header).array();
  }

  private static int print(String text, OutputStream out) throws IOException {
    out.write(text.getBytes(StandardCharsets.US_ASCII));
    return text.length();
  }

  /** A shard of so many tensors of two bytes each, one of them under its alias. */
  static void writeManyTensors(Path directory, int tensors) throws IOException {
    Files.createDirectories(directory);
    Path shard = directory.resolve(shard(0));
    long header = 0;
    try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(shard), 1 << 20)) {
      out.write(lengthOf(0));
      header += print("{\"__metadata__\":{}", out);
      for (int i = 0; i < tensors; i++) {
        String name = i == 0 ? ALIAS : "model.layers." + i + ".w";
        header +=
            print(
                ",\""
                    + name
                    + "\":{\"dtype\":\"BF16\",\"shape\":[1],\"data_offsets\":["
                    + (2 * i)
                    + ","
                    + (2 * i + 2)
                    + "]}",
                out);
      }
      header += print("}", out);
      out.write(new byte[2 * tensors]);
    }
    try (RandomAccessFile file = new RandomAccessFile(shard.toFile(), "rw")) {
      file.write(lengthOf(header));
    }
  }

  /** Ranks of so many tensors of two bytes each, every second of them the alias of the next. */
  static void writeAliases(Path directory, int ranks, int tensors) throws IOException {
    Files.createDirectories(directory);
    StringBuilder header = new StringBuilder("{");
    ByteBuffer data = ByteBuffer.allocate(2 * tensors).order(ByteOrder.LITTLE_ENDIAN);
    for (int i = 0; i < tensors; i++) {
      header
          .append(i == 0 ? "" : ",")
          .append("\"model.layers.%d.self_attn.".formatted(i / 2))
          .append(i % 2 == 0 ? "attn_mha." : "")
          .append("kv_b_proj.weight\":{\"dtype\":\"BF16\",\"shape\":[1],")
          .append("\"data_offsets\":[%d,%d]}".formatted(2 * i, 2 * i + 2));
      data.putShort((short) (i / 2));
    }
    byte[] text = header.append("}").toString().getBytes(StandardCharsets.US_ASCII);
    for (int rank = 0; rank < ranks; rank++) {
      try (OutputStream out = Files.newOutputStream(directory.resolve(shard(rank)))) {
        out.write(lengthOf(text.length));
        out.write(text);
        out.write(data.array());
      }
    }
  }

  /**
   * Plans and repairs.
   *
   * @param args the source, and the output; without one it is planned alone
   */
  public static void main(String[] args) throws Exception {
    System.setProperty("spark.master", "local[4]");
    System.setProperty("spark.testing.memory", String.valueOf(512L << 20));
    try (SparkJob job = SparkJob.start("large headers", Progress.SILENT)) {
      Actions actions = Actions.withDefaultRules(job);
      System.out.println("planned " + actions.plan(Path.of(args[0])).counts());
      if (args.length > 1) {
        RepairResult result = actions.repair(Path.of(args[0]), Path.of(args[1]));
        System.out.println("repaired " + result.counts());
      }
    }
  }
}
