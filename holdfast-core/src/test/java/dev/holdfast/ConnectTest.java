package dev.holdfast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ConnectTest {

  @Test
  void an_unknown_scheme_lists_those_that_are_known_and_what_to_add_for_more() {
    assertThatThrownBy(() -> Holdfast.connect("carrier-pigeon://loft"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(
            "unknown store URL 'carrier-pigeon://loft'; it must start with one of: memory:")
        .hasMessageContaining("sqlite: with the module holdfast-jdbc")
        .hasMessageContaining("jdbc:sqlite: with the module holdfast-jdbc");
  }

  @ParameterizedTest
  @ValueSource(strings = {"sqlite:locks.db", "jdbc:sqlite:locks.db"})
  void a_known_scheme_without_its_module_names_the_module(String url) {
    String scheme = url.substring(0, url.lastIndexOf(':'));
    assertThatThrownBy(() -> Holdfast.connect(url))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "no store for '" + scheme + ":' on the class path; add the module holdfast-jdbc");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", "\t"})
  void a_blank_url_is_refused_with_an_example(String url) {
    assertThatThrownBy(() -> Holdfast.connect(url))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("store URL is blank; for example: memory:");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"memory", "://", ":", "jdbc:", "jdbc:sqlite", "/var/lib/locks.db", " memory:"})
  void a_malformed_url_is_refused_with_those_that_are_known(String url) {
    assertThatThrownBy(() -> Holdfast.connect(url))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("unknown store URL '" + url + "'; it must start with one of: ");
  }

  @Test
  void the_refusal_of_a_url_does_not_repeat_its_password() {
    assertThatThrownBy(() -> Holdfast.connect("nosuch://app:CANARY@host?password=CANARY"))
        .hasMessageContaining("nosuch://app:***@host")
        .hasMessageNotContaining("CANARY");
  }

  @Test
  void a_client_without_a_store_is_refused_with_an_example() {
    assertThatThrownBy(() -> Holdfast.builder().build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("no store given; call store(\"memory:\") or another URL first");
  }

  @ParameterizedTest
  @ValueSource(longs = {0, -1})
  void an_operation_time_out_that_is_none_is_refused(long millis) {
    assertThatThrownBy(() -> Holdfast.builder().operationTimeout(Duration.ofMillis(millis)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageEndingWith("must be longer than zero");
  }

  @Test
  void clients_of_the_same_memory_url_exclude_each_other() throws Exception {
    try (Holdfast one = Holdfast.connect("memory:connect-test");
        Holdfast two = Holdfast.connect("memory:connect-test");
        Holdfast elsewhere = Holdfast.connect("memory:connect-test-elsewhere");
        Lease lease = one.lock("x").acquire()) {
      assertThat(two.lock("x").tryAcquire()).isNull();
      try (Lease other = elsewhere.lock("x").tryAcquire()) {
        assertThat(other).isNotNull();
      }
      assertThat(lease.isValid()).isTrue();
    }
  }

  @Test
  void the_last_store_given_counts() {
    try (Holdfast locks =
        Holdfast.builder().store("nosuch:").store("memory:connect-test").build()) {
      assertThat(locks).hasToString("Holdfast[memory:connect-test]");
    }
  }

  @Test
  void a_lock_with_a_bad_name_is_refused_by_every_method_that_takes_one() {
    try (Holdfast locks = Holdfast.connect("memory:connect-test")) {
      assertThatThrownBy(() -> locks.lock(" ")).hasMessageContaining("blank");
      assertThatThrownBy(() -> locks.inspect(" ")).hasMessageContaining("blank");
      assertThatThrownBy(() -> locks.breakLock(" ")).hasMessageContaining("blank");
    }
  }
}
