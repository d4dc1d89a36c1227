/**
 * Which names stand for one tensor, and what shows it: the bytes of a twin, the structure of names,
 * equal contents. The package makes proposals out of evidence and never guesses where two are
 * possible; it knows nothing of where the bytes were read. Read {@link AliasSearch} first.
 */
package org.shardmend.plan.alias;
