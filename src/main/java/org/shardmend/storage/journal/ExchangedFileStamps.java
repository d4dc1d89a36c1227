package org.shardmend.storage.journal;

import com.fasterxml.jackson.core.JsonProcessingException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.shardmend.storage.FileStamp;
import org.shardmend.storage.protocol.JsonDocument;

/**
 * The stamps of exchanged files when all was applied. They only spare reading: where the document
 * says nothing, or nonsense, the files' content decides.
 *
 * @param files one for each entry that exchanges a file
 */
record ExchangedFileStamps(List<Seen> files) {

  ExchangedFileStamps {
    files = List.copyOf(files);
  }

  /** One file. */
  record Seen(int number, FileStamp stamp) {}

  static Map<Integer, FileStamp> stampsOf(byte[] document) {
    try {
      Map<Integer, FileStamp> stamps = new HashMap<>();
      JsonDocument.read(document, ExchangedFileStamps.class)
          .files()
          .forEach(seen -> stamps.put(seen.number(), seen.stamp()));
      return stamps;
    } catch (JsonProcessingException unreadable) {
      return Map.of();
    }
  }
}
