package dev.holdfast.redis.script;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.cluster.SlotHash;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KeysTest {

  private final Keys keys = new Keys("app:");

  @ParameterizedTest
  @ValueSource(strings = {"a", "}", "{", "{}", "}{", "a{b}c", "%7D", "%", "a:line", "ü 🔒"})
  void the_keys_of_a_lock_share_a_slot_and_tell_its_name(String name) {
    assertThat(SlotHash.getSlot(Keys.line(keys.lock(name))))
        .isEqualTo(SlotHash.getSlot(keys.lock(name)));
    assertThat(keys.name(keys.lock(name))).isEqualTo(name);
    assertThat(keys.name(Keys.line(keys.lock(name)))).isNull();
  }

  @Test
  void names_that_differ_have_keys_that_differ() {
    assertThat(keys.lock("}")).isNotEqualTo(keys.lock("%7D"));
    assertThat(Keys.line(keys.lock("a"))).isNotEqualTo(keys.lock("a:line"));
  }

  @Test
  void keys_of_others_are_no_locks() {
    assertThat(keys.name("other:{a}")).isNull();
    assertThat(keys.name("app:fence:{a}")).isNull();
  }
}
