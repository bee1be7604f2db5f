package dev.holdfast.consul;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testkit.store.Ask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class KeyPathsTest {

  private final KeyPaths keys = new KeyPaths("holdfast/");

  @ParameterizedTest
  @CsvSource({
    "invoice/42,holdfast/invoice/42@",
    "a.b/c-d_e:f,holdfast/a.b/c-d_e:f@",
    "a@b,holdfast/a%40b@",
    "a%b,holdfast/a%25b@",
    "a//b,holdfast/a/%2Fb@",
    "../b,holdfast/%2E./b@",
    "/b,holdfast/%2Fb@",
    "é,holdfast/%C3%A9@"
  })
  void a_name_is_kept_readable_and_clean_as_a_path(String lock, String key) {
    assertThat(keys.queue(lock)).isEqualTo(key);
  }

  @ParameterizedTest
  @ValueSource(strings = {"a", "a b", "a+b", "a/", "//", "🔒", "@left/x", "%41", "a\u0001"})
  void a_name_can_be_read_back(String lock) {
    String key = keys.queue(lock) + "id";

    assertThat(keys.isClaim(key)).isTrue();
    assertThat(keys.lock(key)).isEqualTo(lock);
  }

  @Test
  void other_keys_cannot_be_taken_for_claims() {
    assertThat(keys.isClaim(keys.gate("id"))).isFalse();
    assertThat(keys.isClaim(keys.tombstone(Ask.mutex("lock")))).isFalse();
  }
}
