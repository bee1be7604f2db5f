package dev.holdfast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.spi.Tokens;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ProofTest {

  private static final long SEED = 1_794_770;
  private static final Owner OWNER = new Owner("web-3", 4121, "main", "c0ffee", "report.sh");

  @Test
  void whatever_its_parts_are_a_proof_is_read_back_as_it_was_written() {
    SplittableRandom random = new SplittableRandom(SEED);
    for (int round = 0; round < 2_000; round++) {
      Owner owner = new Owner(OddText.next(random), 1, OddText.next(random), "c", "l");
      Mode mode = Mode.values()[random.nextInt(Mode.values().length)];
      Proof proof =
          new Proof("x" + OddText.next(random), random.nextLong(1, Tokens.MAX), mode, owner);
      String text = proof.toString();
      assertThat(Proof.parse(text)).as("seed %d, round %d", SEED, round).isEqualTo(proof);
      assertThat(text).as("one plain word for a shell").matches("[A-Za-z0-9._+%-]+");
    }
  }

  @Test
  void its_text_is_five_fields_with_dots_between() {
    assertThat(new Proof("invoice/42", 118, Mode.EXCLUSIVE, OWNER).toString())
        .isEqualTo("hp1.invoice%2F42.118.exclusive.web-3%3B4121%3Bmain%3Bc0ffee%3Breport%2Esh");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "hp1",
        "hp2.a.1.exclusive.h%3B1%3Bt%3Bc%3Bl",
        "hp1..1.exclusive.h%3B1%3Bt%3Bc%3Bl",
        "hp1.a.x.exclusive.h%3B1%3Bt%3Bc%3Bl",
        "hp1.a.1.mine.h%3B1%3Bt%3Bc%3Bl",
        "hp1.a.1.exclusive.nobody",
        "hp1.%.1.exclusive.h%3B1%3Bt%3Bc%3Bl",
        "hp1.a.-1.exclusive.h%3B1%3Bt%3Bc%3Bl",
        "hp1.a.0.exclusive.h%3B1%3Bt%3Bc%3Bl",
        "hp1.a.+1.exclusive.h%3B1%3Bt%3Bc%3Bl",
        "hp1.a.01.exclusive.h%3B1%3Bt%3Bc%3Bl",
        "hp1.a.1.Exclusive.h%3B1%3Bt%3Bc%3Bl",
        "hp1.%61.1.exclusive.h%3B1%3Bt%3Bc%3Bl",
        "hp1.a.1.exclusive.h%3b1%3bt%3bc%3bl",
        "hp1.a.9223372036854775808.exclusive.h%3B1%3Bt%3Bc%3Bl",
        " hp1.a.1.exclusive.h%3B1%3Bt%3Bc%3Bl",
        "hp1.a.1.exclusive.h%3B1%3Bt%3Bc%3Bl."
      })
  void what_is_not_a_proof_is_refused(String text) {
    assertThatThrownBy(() -> Proof.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("proof");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "hp1.%zCANARY.1.exclusive.h%3B1%3Bt%3Bc%3Bl",
        "hp1.a.CANARY.exclusive.h%3B1%3Bt%3Bc%3Bl",
        "hp1.a.1.CANARY.h%3B1%3Bt%3Bc%3Bl",
        "hp1.a.1.exclusive.CANARY",
        "hp1.a.1.exclusive.h%3BCANARY%3Bt%3Bc%3Bl"
      })
  void what_cannot_be_read_is_named_but_not_repeated(String text) {
    assertThatThrownBy(() -> Proof.parse(text))
        .hasMessageMatching("damaged proof: its (lock|token|mode|owner) cannot be read")
        .hasNoCause();
  }

  @Test
  void a_handle_that_was_taken_for_a_proof_is_not_repeated() {
    String secret = "hf1.lock.CANARY.118.30000.h%3B1%3Bt%3Bc%3Bl";
    assertThatThrownBy(() -> Proof.parse(secret)).hasMessageNotContaining("CANARY");
  }
}
