/**
 * The audit: what became of every tensor, every shard and every run, as Parquet tables. Tasks write
 * rows into files of their own ({@link AuditFileWriter}), the driver appends a run's files to the
 * tables ({@link AuditAppend}), Spark reads them ({@link AuditTables}). The package knows nothing
 * of how the bytes of a checkpoint moved. Read {@link AuditTable} first.
 */
package org.shardmend.audit;
