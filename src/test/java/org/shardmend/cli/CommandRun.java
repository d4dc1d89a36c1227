package org.shardmend.cli;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Properties;

/**
 * What one command left, run in this process: its exit code, and what it printed on standard output
 * and standard error.
 */
record CommandRun(int exit, String out, String err) {
  private static final ObjectReader ONE_DOCUMENT =
      new ObjectMapper().reader().with(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

  /** Runs a command on two task slots; the process's streams and properties are put back. */
  static CommandRun of(String... arguments) {
    PrintStream standardOut = System.out;
    PrintStream standardErr = System.err;
    Properties properties = (Properties) System.getProperties().clone();
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    System.setProperty("spark.master", "local[2]");
    System.setOut(new PrintStream(out, true, StandardCharsets.UTF_8));
    System.setErr(new PrintStream(err, true, StandardCharsets.UTF_8));
    try {
      int exit = Main.run(arguments);
      return new CommandRun(
          exit, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    } finally {
      System.setOut(standardOut);
      System.setErr(standardErr);
      System.setProperties(properties);
    }
  }

  /** Standard output as the one JSON document that it must be. */
  JsonNode document() {
    try {
      return ONE_DOCUMENT.readTree(out);
    } catch (IOException e) {
      throw new UncheckedIOException("Not one JSON document: " + out, e);
    }
  }
}
