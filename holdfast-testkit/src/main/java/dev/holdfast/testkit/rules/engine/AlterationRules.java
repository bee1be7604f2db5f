package dev.holdfast.testkit.rules.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.holdfast.ClaimInfo;
import dev.holdfast.Fence;
import dev.holdfast.Kind;
import dev.holdfast.Lease;
import dev.holdfast.LeaseHandle;
import dev.holdfast.LeaseLostException;
import dev.holdfast.Mode;
import dev.holdfast.Owner;
import dev.holdfast.Proof;
import dev.holdfast.RequestGuard;
import dev.holdfast.spi.Tokens;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * The text of a proof or a handle is altered. The alterations are drawn from a seed: on each store
 * {@value #PROOFS} proofs of a writer, a quarter as many of a reader, and {@value #HANDLES}
 * handles.
 */
public abstract class AlterationRules extends EngineRules {

  private static final long SEED = 118;
  private static final int PROOFS = 400;
  private static final int HANDLES = 200;
  private static final String ALPHABET = "0123456789abcdefghXYZ.%+-_;";

  private final SplittableRandom random = new SplittableRandom(SEED);

  @Test
  void no_altered_proof_is_believed_and_none_shuts_out_a_later_holder() {
    RequestGuard guard = RequestGuard.of(b, Fence.inMemory());
    Lease lease = scene().result(a.lock(name).acquireAsync());
    Proof real = lease.proof();
    guard.enter(real);
    ClaimInfo claim = b.inspect(name).holders().get(0);
    int refused = 0;
    for (int i = 0; i < PROOFS; i++) {
      Proof altered = altered(real, claim);
      if (altered == null || isTrue(altered, real, claim)) {
        refused += altered == null ? 1 : 0;
        continue; // no proof at all; or it says the same in other words
      }
      assertThat(b.verify(altered)).as("seed %d: %s", SEED, altered).isFalse();
      assertThatThrownBy(() -> guard.enter(altered)).isInstanceOf(LeaseLostException.class);
      refused++;
    }
    assertThat(refused).isGreaterThan(PROOFS * 3 / 4);

    guard.check(real);
    guard.enter(new Proof(name, claim.lastToken(), real.mode(), real.owner())); // the most there is
    release(lease);
    Lease next = scene().result(b.lock(name).acquireAsync());
    assertThatCode(() -> guard.enter(next.proof())).doesNotThrowAnyException();
  }

  @Test
  void no_reader_passes_as_a_writer() throws Exception {
    where(
        Kind.READ_WRITE,
        () -> {
          RequestGuard guard = RequestGuard.of(b, Fence.inMemory());
          Lease one = scene().result(a.readWriteLock(name).readLock().acquireAsync());
          Lease two = scene().result(b.readWriteLock(name).readLock().acquireAsync());
          guard.enter(two.proof());
          int tried = PROOFS / 4;
          for (int i = 0; i < tried; i++) {
            long token = one.token() + random.nextInt(2) * (long) random.nextInt(2_000);
            Mode mode = random.nextBoolean() ? Mode.EXCLUSIVE : Mode.PERMIT;
            Proof forged = new Proof(name, token, mode, one.owner());
            assertThatThrownBy(() -> guard.enter(forged))
                .as("seed %d: %s", SEED, forged)
                .isInstanceOf(LeaseLostException.class);
          }
          guard.check(two.proof());
          guard.check(one.proof());
        });
  }

  @Test
  void no_altered_handle_is_resumed_and_none_moves_the_tokens_of_others() {
    Lease lease = scene().result(a.lock(name).acquireAsync());
    if (!scene().traits().detachable()) {
      assertThatThrownBy(lease::detach).isInstanceOf(UnsupportedOperationException.class);
      return;
    }
    LeaseHandle real = lease.detach();
    ClaimInfo claim = a.inspect(name).holders().get(0);
    int refused = 0;
    for (int i = 0; i < HANDLES; i++) {
      String text = altered(real.secret(), claim);
      Throwable failure = catchThrowable(() -> attachUnlessTrue(text, real, claim));
      if (failure != null) {
        assertThat(failure)
            .as("seed %d: %s", SEED, text)
            .isInstanceOfAny(IllegalArgumentException.class, LeaseLostException.class);
        assertThat(String.valueOf(failure.getMessage())).doesNotContain(real.claimId());
        refused++;
      }
    }
    assertThat(refused).isGreaterThan(HANDLES / 2);

    Lease resumed = b.attach(real);
    assertThat(resumed.token()).isEqualTo(lease.token());
    if (scene().traits().maxFloor() > 0) {
      Lease innocent = scene().result(b.lock(scene().name()).acquireAsync());
      assertThat(innocent.token()).isLessThan(lease.token() + TimeUnit.HOURS.toMicros(1));
    }
    release(resumed);
  }

  /** A text that differs only in parts without effect, such as the host, is accepted. */
  private static boolean isTrue(Proof altered, Proof real, ClaimInfo claim) {
    return altered.lock().equals(real.lock())
        && altered.owner().client().equals(real.owner().client())
        && altered.mode() != Mode.PERMIT
        && altered.token() >= claim.token()
        && altered.token() <= claim.lastToken();
  }

  private void attachUnlessTrue(String text, LeaseHandle real, ClaimInfo claim) {
    LeaseHandle altered = LeaseHandle.parse(text);
    boolean reserved = altered.token() >= claim.token() && altered.token() <= claim.lastToken();
    boolean taken = scene().traits().maxTtl().compareTo(altered.ttl()) >= 0;
    taken &= scene().traits().minTtl().compareTo(altered.ttl()) <= 0;
    if (!altered.equals(real) || !reserved || !taken) {
      b.attach(altered);
      throw new AssertionError("resumed by " + altered);
    }
  }

  private @Nullable Proof altered(Proof real, ClaimInfo claim) {
    Owner owner = real.owner();
    return switch (random.nextInt(6)) {
      case 0 -> new Proof(real.lock(), beyond(claim), real.mode(), owner);
      case 1 -> new Proof(real.lock(), below(claim), real.mode(), owner);
      case 2 -> new Proof(real.lock(), real.token(), Mode.PERMIT, owner);
      case 3 ->
          new Proof(
              real.lock() + ALPHABET.charAt(random.nextInt(10)), real.token(), real.mode(), owner);
      case 4 -> new Proof(real.lock(), real.token(), real.mode(), another(owner));
      default -> {
        try {
          yield Proof.parse(altered(real.toString()));
        } catch (IllegalArgumentException noProof) {
          yield null;
        }
      }
    };
  }

  private String altered(String secret, ClaimInfo claim) {
    String[] parts = secret.split("\\.", -1);
    switch (random.nextInt(6)) {
      case 0 -> parts[3] = Long.toString(beyond(claim));
      case 1 -> parts[3] = Long.toString(random.nextBoolean() ? below(claim) : random.nextLong());
      case 2 -> parts[2] = altered(parts[2]);
      case 3 -> parts[1] = parts[1] + ALPHABET.charAt(random.nextInt(10));
      case 4 -> parts[4] = Long.toString(random.nextLong());
      default -> {
        return altered(secret);
      }
    }
    return String.join(".", parts);
  }

  /** One character replaced, added or taken away. */
  private String altered(String text) {
    StringBuilder altered = new StringBuilder(text);
    int at = random.nextInt(text.length());
    char c = ALPHABET.charAt(random.nextInt(ALPHABET.length()));
    switch (random.nextInt(3)) {
      case 0 -> altered.setCharAt(at, c);
      case 1 -> altered.insert(at, c);
      default -> altered.deleteCharAt(at);
    }
    return altered.toString();
  }

  /** Just beyond what was reserved, or anywhere up to the end. */
  private long beyond(ClaimInfo claim) {
    return random.nextBoolean()
        ? claim.lastToken() + 1 + random.nextInt(1_000)
        : random.nextLong(claim.lastToken() + 1, Tokens.MAX);
  }

  private long below(ClaimInfo claim) {
    if (claim.token() == 1) {
      return beyond(claim);
    }
    return random.nextBoolean()
        ? Math.max(1, claim.token() - 1 - random.nextInt(1_000))
        : random.nextLong(1, claim.token());
  }

  private Owner another(Owner owner) {
    return new Owner(
        owner.host(), owner.pid(), owner.thread(), altered(owner.client()), owner.label());
  }
}
