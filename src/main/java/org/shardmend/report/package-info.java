/**
 * Pages from an audit, for people: what happened in one run, as one self-contained HTML page. The
 * package knows audits and nothing else of this tool. Read {@link ReportReader} first, then {@link
 * ReportPage}.
 */
package org.shardmend.report;
