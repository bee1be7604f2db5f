package dev.holdfast.testkit.rules.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.spi.Claim;
import dev.holdfast.testkit.rules.Client;
import dev.holdfast.testkit.rules.Rules;
import java.util.concurrent.atomic.AtomicInteger;

/** What the rules for claims that a client may keep work with. */
abstract class WantedRules extends Rules {

  final Claim keepable(String name) {
    return scene().mutex(name).keepable(true);
  }

  final AtomicInteger observe(Client client) {
    AtomicInteger hints = new AtomicInteger();
    client.observe(lock, hints::incrementAndGet);
    return hints;
  }

  /** How many there are when all that are under way have arrived: that of another lock is last. */
  final int settled(AtomicInteger hints) {
    AtomicInteger others = new AtomicInteger();
    String other = scene().name();
    a.observe(other, others::incrementAndGet);
    a.granted(keepable(other));
    b.queued(scene().mutex(other));
    scene().eventually("the hint at another lock arrives", () -> others.get() > 0);
    return hints.get();
  }

  /** For stores that notify the holder; for any other nothing is different. */
  final void whereTold(Body body) throws Exception {
    if (scene().traits().tellsHolders()) {
      assertThat(scene().traits().fair()).as("only a queue can be waited in").isTrue();
      body.run();
      return;
    }
    String other = scene().name();
    a.granted(keepable(other));
    b.busy(scene().mutex(other));
    assertThat(b.inspect(other).waiters()).isEmpty();
    whereFair(
        () -> {
          Claim waiter = scene().mutex(other);
          assertThat(b.queued(waiter).behindKeepable()).isFalse();
          assertThat(b.waits(waiter).behindKeepable()).isFalse();
        });
  }
}
