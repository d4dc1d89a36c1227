/**
 * What loaders expect, as documents and other checkpoints say it: the state that an engine wrote
 * down, the ranks of a launch, the original model. The package reads and asks; it does not judge,
 * which is done in {@code plan.contract}. Read {@link ExpectedState} first.
 */
package org.shardmend.checkpoint.expected;
