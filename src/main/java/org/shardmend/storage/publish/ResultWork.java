package org.shardmend.storage.publish;

import java.io.IOException;
import java.util.List;

/**
 * What the caller of a {@link Publication} does to build the result, step by step; each step works
 * over what an earlier, stopped run has left.
 *
 * @param <E> what a step throws, besides failures of the store
 */
public interface ResultWork<E extends Exception> {
  /** Names of the files by which an engine takes a directory for a model. */
  List<String> seals();

  /** Writes {@code servekit.json}, if the source has one. */
  void writeServekit() throws IOException, E;

  /** Writes every shard that is not complete by receipt. */
  void writeWeights() throws IOException, E;

  /** Writes all other side files but index and seals. */
  void writeSideFiles() throws IOException, E;

  /** Writes what says which tensor lies in which file, if the layout has such. */
  void writeIndex() throws IOException, E;

  /** Reads back what the store holds, and looks whether the source is still what was planned. */
  void verify() throws IOException, E;

  /** Writes {@code shardmend.json}. */
  void writeManifest() throws IOException, E;

  /** Writes the {@link #seals()}. */
  void writeSeals() throws IOException, E;

  /** Puts the audit in place; what it writes outside the result it makes durable itself. */
  void placeAudit() throws IOException, E;
}
