/**
 * What every protocol on a store is made of: small documents that are there whole or not at all,
 * our own directory, hidden names beside a target, the steps at which tests stop a run. The package
 * knows nothing of which protocol uses it. Read {@link DurableFile} first.
 */
package org.shardmend.storage.protocol;
