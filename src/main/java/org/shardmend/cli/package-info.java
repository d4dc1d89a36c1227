/**
 * The command line: a class a command, which turns options into a request, runs the job's action
 * and answers. It decides exit codes and where an answer goes; what is answered is decided by
 * {@code job}. Read {@link Main} first, then {@link AnsweringCommand}.
 */
package org.shardmend.cli;
