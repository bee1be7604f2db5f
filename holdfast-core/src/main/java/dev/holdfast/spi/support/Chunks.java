package dev.holdfast.spi.support;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** Splits what does not fit into one request. */
public final class Chunks {

  private Chunks() {}

  /**
   * @param size the most that one chunk takes
   * @return the items in their order, in chunks that are full except perhaps the last
   */
  public static <T> List<List<T>> of(Collection<T> all, int size) {
    List<T> items = List.copyOf(all);
    List<List<T>> chunks = new ArrayList<>();
    for (int from = 0; from < items.size(); from += size) {
      chunks.add(items.subList(from, Math.min(items.size(), from + size)));
    }
    return chunks;
  }
}
