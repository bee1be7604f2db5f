package dev.holdfast.torture.history;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testkit.promise.Observation;
import dev.holdfast.testkit.promise.What;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HistoryFileTest {

  @TempDir Path folder;

  @Test
  void what_was_recorded_is_there_before_the_file_is_closed() throws Exception {
    try (HistoryFile file = HistoryFile.create(folder, "w1-1")) {
      file.append("w1-1", What.PAUSED, "", "");
      assertThat(HistoryFile.readAll(folder))
          .extracting(Observation::what)
          .containsExactly(What.PAUSED);
    }
  }

  @Test
  void files_of_several_processes_are_merged_in_the_order_of_time() throws Exception {
    try (HistoryFile one = HistoryFile.create(folder, "b");
        HistoryFile other = HistoryFile.create(folder, "a")) {
      one.append("b", What.PAUSED, "", "");
      other.append("a", What.PAUSED, "", "");
      one.append("b", What.RESUMED, "", "");
    }
    assertThat(HistoryFile.readAll(folder))
        .extracting(Observation::client)
        .containsExactly("b", "a", "b");
  }

  @Test
  void a_line_that_a_killed_process_did_not_finish_is_left_out() throws Exception {
    try (HistoryFile file = HistoryFile.create(folder, "w1-1")) {
      file.append("w1-1", What.PAUSED, "", "");
    }
    Files.writeString(folder.resolve("w1-1.history"), "4711\tw1-", StandardOpenOption.APPEND);
    assertThat(HistoryFile.readAll(folder)).hasSize(1);
  }
}
