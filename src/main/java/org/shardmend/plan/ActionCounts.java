package org.shardmend.plan;

import java.io.Serializable;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * How many tensors each action concerns.
 *
 * @param keep tensors that stay as they are
 * @param rename tensors that get another name
 * @param drop tensors that are left out
 * @param refuse tensors that can't be decided
 */
public record ActionCounts(long keep, long rename, long drop, long refuse) implements Serializable {

  /** No tensor at all. */
  public static final ActionCounts NONE = new ActionCounts(0, 0, 0, 0);

  /** The counts of {@code changes}, with all others of {@code tensors} kept. */
  public static ActionCounts of(long tensors, List<Decision> changes) {
    long rename = count(changes, Action.RENAME);
    long drop = count(changes, Action.DROP);
    long refuse = count(changes, Action.REFUSE);
    return new ActionCounts(tensors - rename - drop - refuse, rename, drop, refuse);
  }

  private static long count(List<Decision> changes, Action action) {
    return changes.stream().filter(change -> change.action() == action).count();
  }

  /** The counts as {@link #byName} gives them; of an action that is not named, none. */
  public static ActionCounts ofNames(Map<String, Long> byName) {
    return new ActionCounts(
        byName.getOrDefault(Action.KEEP.name(), 0L),
        byName.getOrDefault(Action.RENAME.name(), 0L),
        byName.getOrDefault(Action.DROP.name(), 0L),
        byName.getOrDefault(Action.REFUSE.name(), 0L));
  }

  /** The sum of both. */
  public ActionCounts plus(ActionCounts other) {
    return new ActionCounts(
        keep + other.keep, rename + other.rename, drop + other.drop, refuse + other.refuse);
  }

  /** All tensors. */
  public long tensors() {
    return keep + rename + drop + refuse;
  }

  /** True when every tensor is kept. */
  public boolean nothingToDo() {
    return rename == 0 && drop == 0 && refuse == 0;
  }

  /** The counts by the actions' names, in the order KEEP, RENAME, DROP, REFUSE. */
  public Map<String, Long> byName() {
    Map<String, Long> map = new LinkedHashMap<>();
    map.put(Action.KEEP.name(), keep);
    map.put(Action.RENAME.name(), rename);
    map.put(Action.DROP.name(), drop);
    map.put(Action.REFUSE.name(), refuse);
    return map;
  }
}
