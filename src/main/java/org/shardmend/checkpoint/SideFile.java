package org.shardmend.checkpoint;

import java.io.Serializable;
import java.util.Locale;
import java.util.Set;

/**
 * An entry of a checkpoint's directory, at any depth, that is no shard.
 *
 * @param entry the file, directory or link
 * @param role what it is for, as far as its name tells
 */
public record SideFile(FileEntry entry, Role role) implements Serializable {

  /** What a side file is for, as far as it matters to a repair. */
  public enum Role {
    /** Belongs to the checkpoint, and is carried along as it is. */
    PLAIN,
    /** Says which tensor lies in which file: {@code *.index.json} at the top level. */
    INDEX,
    /** An index that does not tell where the tensors are; never carried along. */
    STALE_INDEX,
    /** Holds digests of other files, which a repair makes untrue. */
    CHECKSUM_LIST,
    /** A saver's note that one rank is done. */
    SAVE_MARKER,
    /** The names and sums of a presharded dump. */
    CHECKSUM_JSON,
    /** The sentinel that ends a presharded dump. */
    READY
  }

  private static final Set<String> CHECKSUM_LIST_ENDINGS =
      Set.of(".md5", ".sha1", ".sha256", ".sha512", ".b3", ".blake3");
  private static final Set<String> CHECKSUM_LIST_STARTS =
      Set.of("md5sum", "sha1sum", "sha256sum", "sha512sum", "b3sum", "checksums");

  /** The path relative to the checkpoint, separated by {@code /}. */
  public String name() {
    return entry.name();
  }

  /** An entry of the sharded_state and huggingface layouts, with its role by name. */
  static SideFile of(FileEntry entry) {
    return new SideFile(entry, roleOf(entry));
  }

  /**
   * Whether a repaired checkpoint has it, too: an index that lies misleads its readers, and a
   * marker speaks of a save that is long over.
   */
  public boolean isCarriedAlong() {
    return switch (role) {
      case PLAIN, INDEX, CHECKSUM_LIST, CHECKSUM_JSON, READY -> true;
      case STALE_INDEX, SAVE_MARKER -> false;
    };
  }

  /** The same entry in another role. */
  public SideFile as(Role other) {
    return new SideFile(entry, other);
  }

  private static Role roleOf(FileEntry entry) {
    if (entry.kind() == FileEntry.Kind.DIRECTORY) {
      return Role.PLAIN;
    }
    String name = entry.fileName().toLowerCase(Locale.ROOT);
    if (entry.isTopLevel() && name.endsWith(".index.json")) {
      return Role.INDEX;
    }
    if (entry.isTopLevel() && SaveMarker.of(entry.name()).isPresent()) {
      return Role.SAVE_MARKER;
    }
    boolean checksums =
        CHECKSUM_LIST_STARTS.stream().anyMatch(name::startsWith)
            || CHECKSUM_LIST_ENDINGS.stream().anyMatch(name::endsWith);
    return checksums ? Role.CHECKSUM_LIST : Role.PLAIN;
  }
}
