/**
 * What becomes of each tensor: decisions, plans, their fingerprint, strategies and their cost, and
 * the loader's contract. Pure functions of headers and rules; nothing here reads or writes.
 */
package org.shardmend.plan;
