package org.shardmend.storage;

/**
 * Options for opening and creating files, by Hadoop's names for them. Hadoop has constants for them
 * too, from 3.3.5 and 3.4.2 on: Spark 3.5 and 4.0 come with earlier clients, which pass over an
 * option that they don't know.
 */
final class HadoopOptions {
  static final String READ_POLICY = "fs.option.openfile.read.policy";
  static final String LENGTH = "fs.option.openfile.length";
  static final String CONDITIONAL_OVERWRITE = "fs.option.create.conditional.overwrite";

  /** A setting of S3A, whose uploader says that it is there and fails when this is off. */
  static final String S3A_UPLOADS = "fs.s3a.multipart.uploads.enabled";

  /** Values of {@link #READ_POLICY}. */
  static final String WHOLE_FILE = "whole-file";

  static final String SEQUENTIAL = "sequential";
  static final String RANDOM = "random";

  private HadoopOptions() {}
}
