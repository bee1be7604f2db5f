package dev.holdfast.spi.support;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class ChunksTest {

  @Test
  void items_keep_their_order_and_only_the_last_chunk_may_be_smaller() {
    assertThat(Chunks.of(List.of(1, 2, 3, 4, 5), 2))
        .containsExactly(List.of(1, 2), List.of(3, 4), List.of(5));
  }

  @Test
  void what_fits_is_one_chunk() {
    assertThat(Chunks.of(List.of(1, 2), 2)).containsExactly(List.of(1, 2));
  }

  @Test
  void no_items_are_no_chunk() {
    assertThat(Chunks.of(List.of(), 2)).isEmpty();
  }
}
