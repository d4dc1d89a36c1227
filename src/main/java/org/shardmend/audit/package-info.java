/**
 * The audit: what became of every tensor, every shard and every run, as Parquet tables.
 *
 * <p>Tasks write rows into files of their own ({@link org.shardmend.audit.AuditFileWriter}), the
 * driver appends a run's files to the tables ({@link org.shardmend.audit.AuditAppend}), Spark reads
 * them ({@link org.shardmend.audit.AuditTables}). The package knows nothing of how the bytes of a
 * checkpoint moved.
 */
package org.shardmend.audit;
