/**
 * The contract that a loader holds a load unit to: which names it must find, in which shape and
 * type, and what it does with others. It decides on names and headers alone and knows nothing of
 * how an expectation was come by. Read {@link LoaderContract} first.
 */
package org.shardmend.plan.contract;
