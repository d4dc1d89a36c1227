package org.shardmend.storage;

import com.sun.security.auth.module.UnixSystem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;

/** The number of the user whose rights this process has. */
public final class ProcessUser {
  private static final Path SELF = Path.of("/proc/self");

  private ProcessUser() {}

  public static long current() {
    try {
      return ownerOf(SELF.toRealPath());
    } catch (IOException | UnsupportedOperationException noProc) {
      return new UnixSystem().getUid();
    }
  }

  /** The number of the user who owns a file; a link is not followed. */
  public static long ownerOf(Path file) throws IOException {
    return Integer.toUnsignedLong(
        (Integer) Files.getAttribute(file, "unix:uid", LinkOption.NOFOLLOW_LINKS));
  }
}
