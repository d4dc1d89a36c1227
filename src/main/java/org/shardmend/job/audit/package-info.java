/**
 * The audit of a run, from the rows that tasks stage to tables and catalogs, and the questions
 * asked of it. The package decides where an audit lies and when rows are appended; what the rows
 * say is their writers' business. Read {@link AuditTrail} first.
 */
package org.shardmend.job.audit;
