/**
 * What quantization configs say of single modules, and what becomes of it when tensors are renamed.
 * The package decides whether a pattern in a config still means the same modules; it knows nothing
 * of where the configs lie. Read {@link ModuleNames} first.
 */
package org.shardmend.checkpoint.modules;
