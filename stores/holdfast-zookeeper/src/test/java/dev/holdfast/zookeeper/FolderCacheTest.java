package dev.holdfast.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class FolderCacheTest {

  private final JoinProtocol.FolderCache folders = new JoinProtocol.FolderCache();

  @Test
  void a_folder_is_cached_until_it_is_removed() {
    assertThat(folders.contains("/a")).isFalse();
    folders.add("/a");

    assertThat(folders.contains("/a")).isTrue();
    assertThat(folders.remove("/a")).as("it was known").isTrue();
    assertThat(folders.remove("/a")).as("it was known").isFalse();
    assertThat(folders.contains("/a")).isFalse();
  }

  @Test
  void a_bounded_number_is_cached_with_the_last_ones() {
    IntStream.range(0, 10_000).forEach(i -> folders.add("/" + i));

    assertThat(folders.contains("/9999")).isTrue();
    assertThat(IntStream.range(0, 10_000).filter(i -> folders.contains("/" + i)).count())
        .isLessThanOrEqualTo(1024);
  }
}
