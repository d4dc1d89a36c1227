package org.shardmend.job.files;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import org.apache.hadoop.conf.Configuration;
import org.shardmend.job.spark.DriverHadoop;
import org.shardmend.job.spark.JobException;
import org.shardmend.storage.Location;
import org.shardmend.storage.Store;
import org.shardmend.storage.Stores;
import org.shardmend.storage.protocol.SmallFiles;

/** Reads small files that users write. */
public final class TextFiles {
  private static final int MAX_BYTES = 16 << 20;

  private TextFiles() {}

  /**
   * The whole content of a file in UTF-8, on any file system.
   *
   * @param what the file is to be, for messages
   * @throws JobException USAGE when there is no such file, or it can't be read as text
   */
  public static String read(String file, String what) throws JobException {
    Configuration hadoop = DriverHadoop.configuration();
    Location location = Locations.parse(file, hadoop);
    try (Store store = Stores.open(location, hadoop)) {
      if (store.stat(location.path()).isEmpty()) {
        throw Locations.missing(location);
      }
      byte[] content = SmallFiles.read(store, location.path(), MAX_BYTES);
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(content)).toString();
    } catch (CharacterCodingException e) {
      throw JobException.usage(
          "not-utf-8", "The %s %s is not in UTF-8; save it as such".formatted(what, location), e);
    } catch (IOException e) {
      throw JobException.usage(
          "unreadable", "Cannot read the %s %s: %s".formatted(what, location, e.getMessage()), e);
    }
  }
}
