package dev.holdfast.foreign;

import java.util.Map;
import java.util.UUID;

/** The suites over the memory store. */
class MemorySuitesIT extends ForeignSuitesContract {

  @Override
  Map<String, String> urls() {
    return Map.of("memory", "memory:" + UUID.randomUUID());
  }
}
