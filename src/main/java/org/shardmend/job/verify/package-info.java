/**
 * What is wrong with a checkpoint: the loader's contract, the ranks beside each other, every byte
 * against what is known of it. The package asks and reports, and changes nothing. Read {@link
 * VerifyAction} first.
 */
package org.shardmend.job.verify;
