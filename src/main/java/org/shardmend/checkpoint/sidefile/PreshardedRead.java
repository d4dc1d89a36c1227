package org.shardmend.checkpoint.sidefile;

import java.io.Serializable;

/**
 * One tensor that one rank of a presharded dump reads.
 *
 * @param filename the file it lies in, in the dump's directory
 * @param storedKey its key in that file: the hash of its content
 * @param name the model's name for it
 * @param extra whether it is a plain attribute, set on the module that the name gives, and no part
 *     of the state dict
 */
public record PreshardedRead(String filename, String storedKey, String name, boolean extra)
    implements Serializable {}
