/**
 * Checks of one subject each, which look at headers or side files and report {@linkplain
 * org.shardmend.checkpoint.Finding findings}. They decide what a loader would make of it and change
 * nothing; which of them are made is a layout's business. Read {@link IndexCheck} for a check of
 * one load unit, {@link SiblingFindings} for one of many.
 */
package org.shardmend.checkpoint.finding;
