package org.shardmend.rules;

/**
 * Where a value stands.
 *
 * @param origin the document
 * @param line counted from 1
 * @param column in UTF-16 units, counted from 1
 * @param path inside the document: {@code rules[0].from}; empty for the document itself
 */
record JsonPlace(String origin, int line, int column, String path) {

  RuleException fault(String problem, String remedy) {
    return new RuleException(origin, line, column, path, problem, remedy);
  }
}
