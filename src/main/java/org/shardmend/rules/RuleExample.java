package org.shardmend.rules;

import java.io.Serializable;

/**
 * A name and what a rule makes of it. Every rule carries at least one, and is checked against all
 * of them whenever it is read.
 *
 * @param from a name as some checkpoint holds it
 * @param to the name that the rule must give it
 */
public record RuleExample(String from, String to) implements Serializable {}
