package org.shardmend.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.shardmend.storage.lock.LockedException;
import org.shardmend.storage.lock.TargetLock;
import org.shardmend.storage.protocol.StepListener;
import org.shardmend.storage.publish.RepairScenario;
import org.shardmend.storage.publish.TargetExistsException;

/** The sentences of {@code publish.md} on HDFS, which has neither links nor syncs of names. */
class HdfsPublishTest {
  private static final String TARGET = "/data/model";

  private static final class Stop extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }

  @TempDir private static Path clusterDirectory;
  private static MiniDFSCluster cluster;
  private static Configuration configuration;

  private Store store;

  @BeforeAll
  static void startCluster() throws IOException {
    configuration = new Configuration();
    configuration.set(MiniDFSCluster.HDFS_MINIDFS_BASEDIR, clusterDirectory.toString());
    cluster = new MiniDFSCluster.Builder(configuration).numDataNodes(1).build();
    cluster.waitActive();
  }

  @AfterAll
  static void stopCluster() {
    cluster.shutdown();
  }

  @BeforeEach
  void openStore() throws IOException {
    store = Stores.open(Location.parse(cluster.getURI() + "/", "file:///"), configuration);
    store.deleteTree("/data");
    store.makeDirectories("/data");
  }

  private RepairScenario repair(StepListener listener) {
    return new RepairScenario(store, TARGET, listener);
  }

  private void assertPublished() throws IOException {
    for (Map.Entry<String, byte[]> file : RepairScenario.expected().entrySet()) {
      try (RangeReader reader = store.openForRead(TARGET + "/" + file.getKey())) {
        ByteBuffer content = ByteBuffer.allocate((int) reader.size());
        reader.readFully(0, content);
        assertThat(content.array()).isEqualTo(file.getValue());
      }
    }
    assertThat(store.list("/data")).extracting(FileStatus::name).containsExactly("model");
  }

  @Test
  void p5_anExistingTargetIsRefusedByTheRenameItself() throws IOException {
    assertThatThrownBy(
            () ->
                repair(
                        step -> {
                          if (step.equals("publish: move to the target")) {
                            makeTarget();
                          }
                        })
                    .run())
        .isInstanceOf(TargetExistsException.class);
    assertThat(store.list(TARGET)).isEmpty();
  }

  private void makeTarget() {
    try {
      store.makeDirectories(TARGET);
    } catch (IOException failure) {
      throw new java.io.UncheckedIOException(failure);
    }
  }

  @Test
  void aRunThatStopsAtAnyStepOfPublishingIsResumed() throws IOException {
    List<String> steps = new ArrayList<>();
    repair(steps::add).run();
    assertPublished();
    for (int stop = steps.indexOf("job: side files"); stop < steps.size() - 1; stop++) {
      store.deleteTree(TARGET);
      int at = stop;
      int[] reached = {0};
      assertThatThrownBy(
              () ->
                  repair(
                          step -> {
                            if (reached[0]++ == at) {
                              throw new Stop();
                            }
                          })
                      .run())
          .isInstanceOf(Stop.class);
      repair(StepListener.NONE).run();
      assertPublished();
    }
  }

  @Test
  void l1_oneRunAtATimeAndTheOtherIsTold() throws IOException {
    String path = TargetLock.beside(TARGET);
    TargetLock first = TargetLock.acquire(store, path, "r1");
    assertThatThrownBy(() -> TargetLock.acquire(store, path, "r2"))
        .isInstanceOf(LockedException.class)
        .hasMessageContaining("run r1");
    first.close();
    assertThat(store.list("/data")).isEmpty();
  }
}
