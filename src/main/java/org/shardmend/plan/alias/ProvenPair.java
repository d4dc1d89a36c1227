package org.shardmend.plan.alias;

import java.io.Serializable;

/**
 * Two names that stand for one tensor.
 *
 * @param pair the names
 * @param proof what shows it
 */
public record ProvenPair(NamePair pair, NameProof proof) implements Serializable {}
