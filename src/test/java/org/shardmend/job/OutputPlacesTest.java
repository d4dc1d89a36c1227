package org.shardmend.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.shardmend.storage.Location;
import org.shardmend.storage.StoreTraits;

/** Where a result may go. */
class OutputPlacesTest {
  private static final Location BUCKET = new Location("s3a", "bucket", "/model");

  @Test
  void aStoreThatCannotMoveADirectoryIsRefusedAsACommandLineError() {
    assertThatThrownBy(() -> OutputPlaces.requirePublishable(StoreTraits.OBJECT_STORE, BUCKET))
        .isInstanceOfSatisfying(
            JobException.class,
            refusal -> assertThat(refusal.kind()).isEqualTo(JobException.Kind.USAGE))
        .hasMessageContaining("s3a://bucket/model")
        .hasMessageContaining("Nothing was written");
  }

  @Test
  void mountedFileSystemsAndHdfsAreFine() {
    assertThatCode(
            () -> {
              OutputPlaces.requirePublishable(StoreTraits.POSIX, Location.ofFile("/model"));
              OutputPlaces.requirePublishable(StoreTraits.HDFS, BUCKET);
            })
        .doesNotThrowAnyException();
  }
}
