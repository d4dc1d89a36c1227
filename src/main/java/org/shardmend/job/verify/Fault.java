package org.shardmend.job.verify;

import java.io.Serializable;

/**
 * Something that is wrong with a checkpoint, as {@code verify} reports it.
 *
 * @param code stable, in kebab case
 * @param shard the file, relative to the checkpoint; empty when it is no single file
 * @param tensor the tensor; empty when it is no single tensor
 * @param message for people; where the engine would raise an error, the engine's own words
 */
public record Fault(String code, String shard, String tensor, String message)
    implements Serializable {}
