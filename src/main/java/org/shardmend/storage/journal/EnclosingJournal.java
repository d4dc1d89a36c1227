package org.shardmend.storage.journal;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.shardmend.storage.Location;
import org.shardmend.storage.Store;
import org.shardmend.storage.protocol.StepListener;

/**
 * The journal of a repair in place that was made of a directory above some other place, such as the
 * root of a presharded dump.
 *
 * @param checkpoint the directory that was repaired
 * @param state how far the repair has come; never before READY
 * @param changesInside whether it changes a file in that other place
 */
public record EnclosingJournal(Location checkpoint, JournalState state, boolean changesInside) {

  /**
   * The journals above a place, the nearest first; links to the place are followed.
   *
   * @param place an absolute path in the store, where something is
   * @throws JournalException when one of them is damaged
   */
  public static List<EnclosingJournal> above(Store store, String place) throws IOException {
    List<EnclosingJournal> found = new ArrayList<>();
    if (!store.traits().overwritesInPlace()) {
      return found;
    }
    String real = store.realPath(place);
    for (int end = real.lastIndexOf('/'); end > 0; end = real.lastIndexOf('/', end - 1)) {
      String above = real.substring(0, end);
      Journal journal = Journal.of(store, above, StepListener.NONE);
      JournalState state = journal.state();
      if (state.isReady()) {
        found.add(
            new EnclosingJournal(
                store.locate(above), state, journal.changesIn(real.substring(end + 1))));
      }
    }
    return found;
  }

  /**
   * Fails while what is above a place has a file in it between old and new.
   *
   * @throws JournalException then; the message names the ways out
   */
  public static void requireNoneOpen(Store store, String place) throws IOException {
    for (EnclosingJournal journal : above(store, place)) {
      if (journal.changesInside && journal.state.isOpen()) {
        throw JournalException.inTheWay(journal.checkpoint, journal.state);
      }
    }
  }

  /**
   * Fails when what is above a place would put back files in it that another repair is to change.
   *
   * @throws JournalException then; the message names the ways out
   */
  public static void requireNoneKept(Store store, String place) throws IOException {
    for (EnclosingJournal journal : above(store, place)) {
      if (journal.changesInside) {
        throw JournalException.inTheWay(journal.checkpoint, journal.state);
      }
    }
  }
}
