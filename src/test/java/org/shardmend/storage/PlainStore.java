package org.shardmend.storage;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Set;
import org.shardmend.storage.protocol.DurableFile;

/** A store that can do less than the one it stands on, as an object store can. */
public final class PlainStore {
  private static final Set<String> MOVES = Set.of("rename", "replace", "link", "cloneFile");
  private static final Set<String> SYNCS = Set.of("sync", "syncDirectory");

  private PlainStore() {}

  /** The store, with these traits and without what they exclude. */
  public static Store over(Store store, StoreTraits traits) {
    return (Store)
        Proxy.newProxyInstance(
            PlainStore.class.getClassLoader(),
            new Class<?>[] {Store.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("traits")) {
                return traits;
              }
              if (MOVES.contains(method.getName()) || SYNCS.contains(method.getName())) {
                throw new UnsupportedOperationException(method.getName());
              }
              if (method.getName().equals("create")) {
                makeParent(store, (String) arguments[0]);
              }
              try {
                return method.invoke(store, arguments);
              } catch (InvocationTargetException failure) {
                throw failure.getCause();
              }
            });
  }

  /** An object store has no directories that would have to exist. */
  private static void makeParent(Store store, String path) throws IOException {
    store.makeDirectories(DurableFile.parentOf(path));
  }
}
