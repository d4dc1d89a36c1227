/**
 * How a result is built beside its target and becomes visible in one step, on file systems that
 * rename and on stores that don't; {@code publish.md} in code. It decides the order of steps and
 * what a killed run leaves; what is built is its caller's. Read {@link Publication} first.
 */
package org.shardmend.storage.publish;
