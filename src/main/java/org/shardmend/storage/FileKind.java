package org.shardmend.storage;

/** What an entry of a directory is, symbolic links not followed. */
public enum FileKind {
  /** A regular file. */
  FILE,
  /** A directory. */
  DIRECTORY,
  /** A symbolic link, whatever it leads to, or to nothing. */
  SYMLINK,
  /** A pipe, a socket or a device: never opened, because opening it may block or act. */
  OTHER
}
