package dev.holdfast.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class FoldersTest {

  private final Folders folders = new Folders();

  @Test
  void a_folder_is_known_until_it_is_forgotten() {
    assertThat(folders.knows("/a")).isFalse();
    folders.remember("/a");

    assertThat(folders.knows("/a")).isTrue();
    assertThat(folders.forget("/a")).as("it was known").isTrue();
    assertThat(folders.forget("/a")).as("it was known").isFalse();
    assertThat(folders.knows("/a")).isFalse();
  }

  @Test
  void a_bounded_number_is_remembered_the_last_ones_among_them() {
    IntStream.range(0, 10_000).forEach(i -> folders.remember("/" + i));

    assertThat(folders.knows("/9999")).isTrue();
    assertThat(IntStream.range(0, 10_000).filter(i -> folders.knows("/" + i)).count())
        .isLessThanOrEqualTo(1024);
  }
}
