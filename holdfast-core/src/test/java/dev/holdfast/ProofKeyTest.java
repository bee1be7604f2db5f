package dev.holdfast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Base64;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ProofKeyTest {

  private static final String SECRET = "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=";
  private static final ProofKey KEY = key("k1", 7);
  private static final Proof PROOF =
      new Proof("orders/42", 118, Mode.EXCLUSIVE, new Owner("web-3", 4121, "main", "c0ffee", ""));

  @TempDir Path directory;

  static ProofKey key(String id, int seed) {
    byte[] bytes = new byte[32];
    new SplittableRandom(seed).nextBytes(bytes);
    return ProofKey.of(id, bytes);
  }

  @Test
  void a_signed_proof_is_one_plain_word_and_is_read_back_as_it_was() {
    Proof signed = PROOF.sign(KEY);
    assertThat(signed.toString())
        .matches("hp2\\.orders%2F42\\.118\\.exclusive\\.[^.]+\\.k1\\.[A-Za-z0-9_-]{43}");
    assertThat(Proof.parse(signed.toString())).isEqualTo(signed).isNotEqualTo(PROOF);
    assertThat(signed.isSignedBy(List.of(KEY))).isTrue();
    assertThat(PROOF.isSignedBy(List.of(KEY))).isFalse();
    assertThat(signed.sign(key("k2", 8))).isEqualTo(PROOF.sign(key("k2", 8)));
  }

  /** Computed with another implementation. */
  @Test
  void the_signature_is_hmac_sha_256_of_the_text_before_it() {
    ProofKey key = ProofKey.of("k1", Base64.getDecoder().decode(SECRET));
    assertThat(PROOF.sign(key).toString())
        .endsWith(".k1.qszVA0FpIh0jvUqU5ky2SrAzwHyAQk5DzKx3DPZVrrg");
  }

  @Test
  void keys_can_be_changed_one_after_the_other() {
    ProofKey next = key("k2", 8);
    assertThat(PROOF.sign(KEY).isSignedBy(List.of(next, KEY))).isTrue();
    assertThat(PROOF.sign(next).isSignedBy(List.of(next, KEY))).isTrue();
    assertThat(PROOF.sign(KEY).isSignedBy(List.of(next))).isFalse();
    assertThat(PROOF.sign(KEY).isSignedBy(List.of(key("k1", 8)))).isFalse();
  }

  /** Every other character at every place: none of these passes. */
  @Test
  void no_altered_text_of_a_signed_proof_passes() {
    String text = PROOF.sign(KEY).toString();
    int refused = 0;
    int unreadable = 0;
    for (int i = 0; i < text.length(); i++) {
      for (char c : "0aZ_-.%+5e".toCharArray()) {
        StringBuilder altered = new StringBuilder(text);
        altered.setCharAt(i, c);
        if (altered.toString().equals(text)) {
          continue;
        }
        try {
          assertThat(Proof.parse(altered.toString()).isSignedBy(List.of(KEY)))
              .as("%s", altered)
              .isFalse();
          refused++;
        } catch (IllegalArgumentException notAProof) {
          unreadable++;
        }
      }
    }
    assertThat(refused).isGreaterThan(300);
    assertThat(unreadable).isGreaterThan(300);
  }

  @Test
  void a_signature_does_not_fit_another_lock_token_mode_or_owner() {
    String signature = PROOF.sign(KEY).signature();
    Owner other = new Owner("web-3", 4121, "main", "c0ffef", "");
    for (Proof forged :
        List.of(
            new Proof("orders/43", 118, Mode.EXCLUSIVE, PROOF.owner(), signature),
            new Proof("orders/42", 119, Mode.EXCLUSIVE, PROOF.owner(), signature),
            new Proof("orders/42", 118, Mode.SHARED, PROOF.owner(), signature),
            new Proof("orders/42", 118, Mode.EXCLUSIVE, other, signature))) {
      assertThat(forged.isSignedBy(List.of(KEY))).isFalse();
    }
  }

  @Test
  void a_guard_that_wants_signatures_refuses_what_is_not_signed_or_was_altered() throws Exception {
    try (Holdfast locks = Holdfast.connect("memory:signed");
        Lease lease = locks.lock("orders").acquire()) {
      RequestGuard guard = RequestGuard.of(locks, Fence.inMemory()).requiring(List.of(KEY));
      Proof signed = lease.proof().sign(KEY);
      guard.enter(signed);
      assertRefused(guard, lease.proof(), "is not signed");
      assertRefused(guard, lease.proof().sign(key("k1", 9)), "was altered");
      assertRefused(
          guard,
          new Proof("orders", 1, Mode.SHARED, signed.owner(), signed.signature()),
          "was altered");
      guard.check(signed);
      RequestGuard.of(locks, Fence.inMemory()).enter(signed); // one that wants none takes any
    }
  }

  private static void assertRefused(RequestGuard guard, Proof proof, String why) {
    for (Runnable step : List.<Runnable>of(() -> guard.enter(proof), () -> guard.check(proof))) {
      assertThatExceptionOfType(UntrustedProofException.class)
          .isThrownBy(step::run)
          .withMessageContainingAll("'orders'", why)
          .matches(e -> e.lockName().equals("orders"));
    }
  }

  @Test
  void a_guard_needs_a_key_to_want_signatures() {
    try (Holdfast locks = Holdfast.connect("memory:")) {
      RequestGuard guard = RequestGuard.of(locks, Fence.inMemory());
      assertThatIllegalArgumentException().isThrownBy(() -> guard.requiring(List.of()));
    }
  }

  @Test
  void keys_are_read_from_a_file_that_is_its_owners_alone() throws Exception {
    Path file = file("# since March\n\nk2:" + SECRET + "\n  k1:" + SECRET + "  \n", "rw-------");
    assertThat(ProofKey.readFile(file)).extracting(ProofKey::id).containsExactly("k2", "k1");
    for (String open : List.of("rw-r-----", "rw----r--", "rw--w----", "rw-----w-")) {
      Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(open));
      assertThatIllegalArgumentException()
          .as(open)
          .isThrownBy(() -> ProofKey.readFile(file))
          .withMessageContainingAll(file.toString(), "chmod 600");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "# nothing",
        "k1",
        "k1:",
        "k1:too-short",
        "k1:bm90IGxvbmcgZW5vdWdo",
        ":" + SECRET,
        "k 1:" + SECRET,
        "k1:" + SECRET + "\nk1:" + SECRET,
        "k1:" + SECRET + "\nnonsense MDEyMzQ1Njc4OWFiY2Rl"
      })
  void what_holds_no_keys_is_refused_without_repeating_it(String text) throws Exception {
    Path file = file(text, "rw-------");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ProofKey.readFile(file))
        .withMessageContaining(file.toString())
        .withMessageNotContainingAny("MDEy", "bm90", "short", "nonsense");
  }

  @Test
  void a_file_that_is_not_there_or_far_too_long_is_refused_by_name() throws Exception {
    Path missing = directory.resolve("missing");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ProofKey.readFile(missing))
        .withMessageContaining(missing.toString());
    Path file = file("#".repeat(100_000), "rw-------");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ProofKey.readFile(file))
        .withMessageContaining("too long");
  }

  @Test
  void a_variable_that_is_not_set_or_holds_no_keys_is_refused_by_name() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ProofKey.readEnvironment("HOLDFAST_NO_SUCH_VARIABLE"))
        .withMessageContaining("HOLDFAST_NO_SUCH_VARIABLE");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ProofKey.readEnvironment("PATH"))
        .withMessageContaining("PATH")
        .withMessageNotContaining(System.getenv("PATH"));
  }

  @Test
  void a_key_shows_its_id_and_nothing_else() {
    assertThat(ProofKey.of("k1", Base64.getDecoder().decode(SECRET))).hasToString("ProofKey[k1]");
  }

  @Test
  void a_key_that_is_too_short_or_has_an_odd_id_is_refused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ProofKey.of("k1", new byte[31]))
        .withMessageContainingAll("'k1'", "31", "32");
    for (String id : List.of("", "a b", "a.b", "ä", "x".repeat(33))) {
      assertThatIllegalArgumentException().isThrownBy(() -> ProofKey.of(id, new byte[32]));
    }
  }

  private Path file(String text, String permissions) throws Exception {
    Path file = Files.writeString(directory.resolve("keys"), text);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));
    return file;
  }
}
