package org.shardmend.storage;

/**
 * What a store can do; the publish protocol and the strategies are chosen by it.
 *
 * @param overwritesInPlace {@link Store#writeAt} works
 * @param atomicRename {@link Store#rename} moves a file or a whole directory in one step, and fails
 *     when the target exists
 * @param hardLinks {@link Store#link} works, where the volume allows it
 * @param clones {@link Store#cloneFile} may work, which only the volume can tell
 * @param holdsResults a result can be published there: what was written is moved in one step, or
 *     appears whole when it is completed
 * @param syncs what was synced outlives a power cut; without it, what a writer completed does
 */
public record StoreTraits(
    boolean overwritesInPlace,
    boolean atomicRename,
    boolean hardLinks,
    boolean clones,
    boolean holdsResults,
    boolean syncs) {

  /** A mounted file system. */
  public static final StoreTraits POSIX = new StoreTraits(true, true, true, true, true, true);

  /** HDFS: atomic rename, durable writes, no writing in the middle of a file. */
  public static final StoreTraits HDFS = new StoreTraits(false, true, false, false, true, true);

  /** An object store: what is written appears whole when it is completed, and is never moved. */
  public static final StoreTraits OBJECT_STORE =
      new StoreTraits(false, false, false, false, true, false);

  /**
   * HDFS by another client than its own (WebHDFS): what is written is seen as it grows, and can't
   * be synced.
   */
  public static final StoreTraits READ_ONLY =
      new StoreTraits(false, false, false, false, false, false);
}
