package org.shardmend.audit

import java.nio.file.{Files, Path}
import java.time.Instant

import org.apache.spark.sql.Row
import org.apache.spark.sql.functions.{col, count}
import org.apache.spark.sql.types._
import org.scalatest.{BeforeAndAfterAll, Tag}
import org.scalatest.funsuite.AnyFunSuite
import org.shardmend.storage.LocalStore

/** As JUnit's tag of that name: tests that every version of Spark must pass. */
private object Smoke extends Tag("smoke")

/** An audit as someone with Spark and no Shardmend reads it: plain Parquet, plain SQL. */
class AuditTableSuite extends AnyFunSuite with BeforeAndAfterAll {
  private lazy val spark = LocalSpark.session()
  private lazy val root: Path = Files.createTempDirectory("audit-table-suite")

  override def beforeAll(): Unit = {
    SampleRun.done("r20261130T081500Z-1a2b3c4d", "/models/kimi", 8, 4).appendTo(root)
    AuditTable.inAppendOrder().forEach { table =>
      spark.read
        .schema(table.schema())
        .parquet(s"$root/${table.name()}")
        .createOrReplaceTempView(s"plain_${table.name()}")
    }
  }

  override def afterAll(): Unit =
    Files.walk(root).sorted(java.util.Comparator.reverseOrder[Path]()).forEach(Files.delete(_))

  test("actions are counted by plain SQL, and the run's own counts agree", Smoke) {
    val counted = spark
      .sql("""SELECT action, count(*) FROM plain_tensors
             |WHERE run_id IN (SELECT run_id FROM plain_runs) GROUP BY action""".stripMargin)
      .collect()
      .map(row => row.getString(0) -> row.getLong(1))
      .toMap
    assert(counted == Map("KEEP" -> 64L, "RENAME" -> 32L, "DROP" -> 32L))

    val stated = spark.sql("SELECT counts FROM plain_runs").head().getMap[String, Long](0)
    assert(stated == counted + ("REFUSE" -> 0L))
  }

  test("a dropped tensor has no target, a renamed one has", Smoke) {
    val dropped = spark.sql(
      """SELECT target_shard, target_tensor, target_begin, target_end, target_digest
        |FROM plain_tensors WHERE action = 'DROP'""".stripMargin)
    assert(dropped.collect().toSet == Set(Row(null, null, null, null, null)))

    val renamed =
      spark.sql("SELECT DISTINCT tensor, target_tensor FROM plain_tensors WHERE action = 'RENAME'")
    assert(
      renamed.collect().toSeq ==
        Seq(Row("layers.0.attn_mha.kv_b_proj.weight", "layers.0.kv_b_proj.weight")))
  }

  test("values come back with their types", Smoke) {
    val tensor = spark.sql(
      "SELECT pp_rank, tp_rank, shape, bytes FROM plain_tensors WHERE pp_rank = 7 AND tp_rank = 3")
    assert(tensor.head() == Row(7, 3, Seq(2L, 1024L), SampleRun.TENSOR_BYTES))

    val times = spark.sql(
      "SELECT unix_micros(started), unix_micros(finished), rules, findings[0].code FROM plain_runs")
    val micros = (text: String) => java.time.temporal.ChronoUnit.MICROS
      .between(Instant.EPOCH, Instant.parse(text))
    assert(
      times.head() == Row(
        micros("2026-11-30T08:15:00.123456Z"),
        micros("2026-11-30T08:15:07.500Z"),
        Seq("mla-kv-b-proj"),
        "stale-index"))

    assert(spark.table("plain_runs").schema("started").dataType == TimestampType)
    assert(spark.table("plain_tensors").schema("shape").dataType.isInstanceOf[ArrayType])
  }

  test("without any schema, files read as the same types", Smoke) {
    val guessed = spark.read.parquet(s"$root/tensors").schema
    val stated = AuditTable.TENSORS.schema()
    assert(guessed.map(f => f.name -> f.dataType.simpleString) ==
      stated.map(f => f.name -> f.dataType.simpleString))
  }

  test("the month is text", Smoke) {
    val months = spark.table("plain_tensors").groupBy(col("month")).agg(count("*")).collect()
    assert(months.toSeq == Seq(Row("2026-11", 128L)))
    assert(spark.table("plain_tensors").schema("month").dataType == StringType)
  }
}
