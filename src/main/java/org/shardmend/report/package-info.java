/**
 * Pages from an audit, for people: {@link org.shardmend.report.ReportReader} reads what happened in
 * one run, {@link org.shardmend.report.ReportPage} makes one self-contained HTML page of it. The
 * package knows audits and nothing else of this tool.
 */
package org.shardmend.report;
