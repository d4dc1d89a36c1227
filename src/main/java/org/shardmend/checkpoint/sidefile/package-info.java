/**
 * The files beside the shards that say something of them: {@code checksum.json}, a Hugging Face
 * index, {@code config.json}, {@code servekit.json}. Each is read strictly and, where it names
 * tensors, written again with other names and nothing else changed; what follows from it for a
 * loader is decided elsewhere. Read {@link IndexJson} first: it is the smallest that is read and
 * rewritten.
 */
package org.shardmend.checkpoint.sidefile;
