package org.shardmend.checkpoint;

import java.io.Serializable;

/**
 * Something about a checkpoint that its user should know.
 *
 * @param code stable, in kebab case
 * @param severity how much it matters
 * @param shard the file concerned, relative to the checkpoint; empty when it is no single file
 * @param message for people: what, where, and what to do
 */
public record Finding(String code, Severity severity, String shard, String message)
    implements Serializable {}
