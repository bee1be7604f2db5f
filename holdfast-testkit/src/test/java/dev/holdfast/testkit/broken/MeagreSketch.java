package dev.holdfast.testkit.broken;

import dev.holdfast.Kind;
import dev.holdfast.Traits;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Departure;
import dev.holdfast.spi.JoinAnswer;
import dev.holdfast.spi.Left;
import dev.holdfast.spi.Tokens;
import java.util.Collection;
import java.util.Map;

/** A store that promises the least there is, and refuses what it does not promise. */
class MeagreSketch extends Sketch {

  @Override
  Traits traits() {
    return Traits.builder().floors(Tokens.MAX_FLOOR).build();
  }

  @Override
  JoinAnswer join(Claim claim, boolean wait, SketchStore via) {
    if (claim.kind() == Kind.SEMAPHORE || claim.kind() == Kind.READ_WRITE) {
      throw new IllegalArgumentException("this store keeps no lock of kind " + claim.kind());
    }
    return super.join(claim, false, via);
  }

  @Override
  Map<Claim, Left> leave(Collection<Departure> departures) {
    if (departures.stream().anyMatch(departure -> !departure.linger().isZero())) {
      throw new IllegalArgumentException("this store cannot linger");
    }
    return super.leave(departures);
  }
}
