package dev.holdfast.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class HostileTextTest {

  @Test
  void a_seed_gives_the_same_texts_again_and_hardly_one_twice() {
    HostileText one = new HostileText(7);
    HostileText other = new HostileText(7);
    Set<String> texts = new HashSet<>();
    int harmful = 0;
    for (int round = 0; round < 1_000; round++) {
      String text = one.next();
      assertThat(other.next()).isEqualTo(text);
      texts.add(text);
      harmful += HostileText.isHarmless(text) ? 0 : 1;
      assertThat(HostileText.isHarmless(one.nextBroken())).isFalse();
      other.nextBroken();
    }
    assertThat(texts).hasSizeGreaterThan(900);
    assertThat(harmful).isGreaterThan(700);
  }

  @Test
  void letters_of_all_scripts_are_harmless() {
    assertThat(HostileText.isHarmless("billing-7 é 锁 😀 'a' \\u001b {0}")).isTrue();
  }
}
