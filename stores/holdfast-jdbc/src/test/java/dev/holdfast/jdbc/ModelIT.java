package dev.holdfast.jdbc;

import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ModelIT {

  @TempDir Path directory;

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
  void it_answers_what_the_memory_store_answers(long seed) throws Exception {
    try (TestDatabase database = new TestDatabase(directory)) {
      new ModelRun(seed, database).run();
    }
  }
}
