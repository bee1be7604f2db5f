package dev.holdfast.bench.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ExclusionCheckTest {

  @TempDir Path folder;

  private ExclusionCheck here;
  private ExclusionCheck elsewhere;

  @BeforeEach
  void map() throws IOException {
    here = new ExclusionCheck(folder.resolve("lock"));
    elsewhere = new ExclusionCheck(folder.resolve("lock"));
  }

  @Test
  void it_sees_nothing_wrong_in_one_after_the_other() {
    here.enter(1, 10);
    here.exit(1);
    elsewhere.enter(2, 11);
    elsewhere.exit(2);
    assertThat(here.violations() + elsewhere.violations()).isZero();
  }

  @Test
  void it_sees_two_holders_at_once() {
    here.enter(1, 0);
    elsewhere.enter(2, 0);
    assertThat(elsewhere.violations()).isOne();
  }

  @Test
  void it_sees_a_token_that_does_not_rise() {
    here.enter(1, 10);
    here.exit(1);
    elsewhere.enter(2, 10);
    assertThat(elsewhere.violations()).isOne();
  }
}
