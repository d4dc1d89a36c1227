/**
 * The safetensors format: a header read with all its rules, changed by name, and written again.
 * Everything is a pure function of bytes that may be hostile; the package knows nothing of files,
 * rules or Spark. Read {@link Header} first, then {@link HeaderEdit}.
 */
package org.shardmend.safetensors;
