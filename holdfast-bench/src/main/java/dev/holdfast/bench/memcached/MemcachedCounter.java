package dev.holdfast.bench.memcached;

import dev.holdfast.bench.store.LineCounter;
import java.util.List;

/** Counts commands of the text protocol: a line, and behind one that stores what it stores. */
final class MemcachedCounter extends LineCounter {

  private static final int END_OF_DATA = 2; // a line break

  @Override
  protected long rest(String text) {
    List<String> words = List.of(text.split(" "));
    return words.get(0).equals("ms") ? Long.parseLong(words.get(2)) + END_OF_DATA : 0;
  }
}
