package dev.holdfast.engine;

import dev.holdfast.ClaimInfo;
import dev.holdfast.Kind;
import dev.holdfast.LeaseHandle;
import dev.holdfast.LeaseLostException;
import dev.holdfast.engine.callback.Text;
import dev.holdfast.engine.state.ClientState;
import dev.holdfast.engine.state.Hold;
import dev.holdfast.engine.state.HoldTransitions;
import dev.holdfast.engine.state.LockSpec;
import dev.holdfast.engine.state.Request;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Granted;
import dev.holdfast.spi.Standing;
import dev.holdfast.spi.Unknown;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A request that is granted already: resumes a detached lease. The claim id decides if it may, and
 * the store which tokens it has: the handle's text may have been altered.
 */
final class Resumption extends Request {

  private final LeaseHandle handle;
  final Claim claim;
  final Claim asked; // for no more life than its maxHold leaves: a crash must not outlive it

  Resumption(LeaseHandle handle, LockSpec spec, ClientState client) {
    super(handle.lockName(), spec, FOR_EVER, null);
    this.handle = handle;
    this.claim =
        new Claim(
            handle.claimId(),
            handle.lockName(),
            spec.kind,
            spec.weight,
            spec.capacity,
            handle.owner(),
            handle.ttl(),
            null,
            0,
            0); // no floor: the store would note it before the token is checked
    this.asked = client.shortened(claim, spec.maxHoldNanos);
  }

  /**
   * @throws UnsupportedOperationException if a lease of this kind cannot be resumed
   */
  static void check(Engine engine, Kind kind) {
    if (kind != Kind.MUTEX) {
      throw new UnsupportedOperationException(
          "a lease of kind " + kind + " cannot be resumed elsewhere; only a mutex can");
    }
    if (!engine.traits().detachable()) {
      throw new UnsupportedOperationException(
          engine + " ties a lease to its connection; it cannot be resumed elsewhere");
    }
  }

  /** Ends a hold here without leaving the store; what to resume it with. */
  static LeaseHandle detach(Engine engine, LockShell shell, Hold hold) {
    Claim claim = hold.tenure.claim;
    Duration maxHold =
        hold.isLimited() ? Duration.ofNanos(hold.leftOfMaxHold(engine.now().nanos)) : null;
    Duration minHold =
        shell.ask((state, now, out) -> HoldTransitions.detached(state, hold, now, out));
    if (minHold == null) {
      throw new IllegalStateException(Text.unexpected(claim.lock()));
    }
    return new LeaseHandle(
        claim.lock(),
        claim.id(),
        hold.token,
        claim.ttl(),
        claim.owner(),
        minHold,
        maxHold,
        engine.ticker().wallMicros() / 1000);
  }

  /**
   * Renews the claim, and checks the handle's token against what the store has reserved for it.
   *
   * @return the grant with the handle's token: it may not be the claim's first
   * @throws LeaseLostException if the claim has ended
   * @throws IllegalArgumentException if the token was not reserved for the claim
   */
  Granted renew(Engine engine) {
    Map<Claim, Standing> standings =
        engine.ask(
            "refresh",
            "the renewal of",
            name,
            it -> it.refresh(List.of(asked), engine.context.deadline()));
    checkReserved(engine, first(engine, standings.get(asked)));
    return new Granted(handle.token());
  }

  private long first(Engine engine, @Nullable Standing standing) {
    if (standing instanceof Granted granted) {
      return granted.token();
    }
    if (standing == null || standing instanceof Unknown) {
      Throwable cause = standing instanceof Unknown unknown ? unknown.cause() : null;
      throw engine.context.noAnswer("the renewal of", name, cause);
    }
    throw ended();
  }

  private void checkReserved(Engine engine, long first) {
    ClaimInfo stored =
        engine.inspect(name).holders().stream()
            .filter(holder -> holder.token() == first)
            .findFirst()
            .orElseThrow(this::ended);
    if (handle.token() < first || handle.token() > stored.lastToken()) {
      throw new IllegalArgumentException(
          "the token (%d) of the handle was not reserved for its claim on '%s', which has %d to %d"
              .formatted(handle.token(), name, first, stored.lastToken()));
    }
  }

  private LeaseLostException ended() {
    return new LeaseLostException(name, handle.token(), "has ended meanwhile");
  }
}
