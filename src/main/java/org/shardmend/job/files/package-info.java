/**
 * How places that users name are reached, on the driver and in tasks: locations, small files,
 * headers, tensors that are compared. The package decides how much is open and held in memory at a
 * time, and judges nothing. Read {@link CheckpointAccess} first.
 */
package org.shardmend.job.files;
