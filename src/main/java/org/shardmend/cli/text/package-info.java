/**
 * Words on a terminal and in documents: how plans, verdicts, names and progress are printed. The
 * package decides how hostile text is shown and what fits a line; it runs nothing. Read {@link
 * Printable} first.
 */
package org.shardmend.cli.text;
