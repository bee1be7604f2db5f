package dev.holdfast.memcached;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class KeysTest {

  private final Keys keys = new Keys("app:");

  @Test
  void a_plain_name_can_be_read_in_the_key() {
    assertThat(keys.of("orders/42")).isEqualTo("app:orders/42");
    assertThat(keys.of("x".repeat(246))).isEqualTo("app:" + "x".repeat(246));
  }

  @Test
  void names_that_memcached_would_not_take_are_digested() {
    Set<String> seen = new HashSet<>();
    for (String name :
        List.of("x".repeat(247), "x".repeat(512), "a b", "a\nb", "ä", "a\u0301", "🔒", "a\u007f")) {
      String key = keys.of(name);

      assertThat(key).matches("app:~[-_A-Za-z0-9]{43}").isEqualTo(keys.of(name));
      assertThat(seen.add(key)).isTrue();
    }
  }

  @Test
  void no_name_can_be_written_so_that_it_meets_the_key_of_another() {
    String digested = keys.of("a b").substring("app:".length());

    assertThat(keys.of(digested)).isNotEqualTo(keys.of("a b"));
  }
}
