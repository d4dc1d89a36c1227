package org.shardmend.checkpoint.layout;

import java.io.Serializable;
import org.shardmend.checkpoint.UnitId;
import org.shardmend.checkpoint.sidefile.PreshardedRead;

/**
 * What one rank of a presharded dump reads of a file.
 *
 * @param unit the rank
 * @param read the line of checksum.json
 */
public record RankRead(UnitId unit, PreshardedRead read) implements Serializable {}
