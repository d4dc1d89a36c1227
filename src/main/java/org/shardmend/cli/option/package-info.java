/**
 * Options that several commands share, as picocli mixes them in, and what they are to a request.
 * The package decides how they are named and described, and runs nothing. Read {@link
 * CheckpointOptions} first.
 */
package org.shardmend.cli.option;
