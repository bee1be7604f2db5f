package dev.holdfast.examples.paused;

import dev.holdfast.examples.stories.Worker;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;

/** The guards that need no server. */
class PausedProcessTest {

  @Nested
  class BehindARequestGuard extends PausedProcessContract {

    private @Nullable Worker worker;

    @Override
    Guard guard() {
      return Guard.MEMORY_OVER_HTTP;
    }

    @Override
    String address(String store) throws Exception {
      worker = Worker.start(store);
      return worker.address();
    }

    @AfterEach
    void stop() {
      if (worker != null) {
        worker.close();
      }
    }
  }

  @Nested
  class InAFile extends PausedProcessContract {

    @Override
    Guard guard() {
      return Guard.FILE;
    }

    @Override
    String address(String store) {
      return folder.toString();
    }
  }

  @Nested
  class InSqlite extends PausedProcessContract {

    @Override
    Guard guard() {
      return Guard.SQLITE;
    }

    @Override
    String address(String store) throws Exception {
      String url = "jdbc:sqlite:" + folder.resolve("data.db");
      InTable.prepare(url);
      return url;
    }
  }
}
