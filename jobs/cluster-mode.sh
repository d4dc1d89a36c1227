# shellcheck shell=bash
# What jobs/yarn/submit and jobs/kubernetes/submit have in common. In cluster mode the driver is somewhere else, and
# spark-submit's own exit code says no more than that it failed: Shardmend's is in the document that --result writes.
# Both set SHARDMEND_ROOT and SPARK_HOME before.

say() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }

# What can't be started has failed like what ran and failed: 5.
fail() {
  say "$1"
  exit 5
}

# `hadoop fs`, with the Hadoop that Spark brings and the settings in HADOOP_CONF_DIR.
hadoop_fs() { "$SPARK_HOME/bin/spark-class" org.apache.hadoop.fs.FsShell "$@"; }

# A name for this run's files, unlike any other's.
run_name() { printf '%s-%s-%s' "$(date -u +%Y%m%dT%H%M%SZ)" "${HOSTNAME:-host}" "$$"; }

# submit RESULT ARGUMENT...: runs the launcher with the arguments, waits for the driver's end, and returns Shardmend's
# exit code as RESULT has it. Without one the driver was lost, which is a failure like others: 5.
submit() {
  local result=$1 status=0 document code
  shift
  "$SHARDMEND_ROOT/scripts/shardmend" "$@" --result "$result" || status=$?
  document=$(hadoop_fs -cat "$result") || document=
  code=$(sed -n 's/^ *"exit_code" *: *\([0-9][0-9]*\),\{0,1\} *$/\1/p' <<<"$document" | tail -n 1)
  if [[ -n $code ]]; then
    printf '%s\n' "$document"
    return "$code"
  fi
  if [[ $document == *'"running"'* ]]; then
    say "The result at $result still says \"running\", and spark-submit ended with exit code $status: the driver was lost" \
      "while it worked, or still works and nobody waits for it. Its log says which. Once it is gone, running again resumes."
  else
    say "There is no result at $result, and spark-submit ended with exit code $status: the driver did not start or was" \
      "lost. Its log says why. Running again resumes."
  fi
  ((status != 2)) || return 2
  return 5
}
