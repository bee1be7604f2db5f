package dev.holdfast.examples.stories;

import dev.holdfast.Holdfast;
import dev.holdfast.LockOptions;
import java.time.Duration;

/**
 * An e-mail that should go out once a day although every server has the timer. A second one would
 * be a nuisance and no more, so a lock that is right nearly always is enough: efficiency.
 * Thread-safe.
 */
final class Newsletter {

  private final Holdfast locks;
  private final Runnable mail;

  Newsletter(Holdfast locks, Runnable mail) {
    this.locks = locks;
    this.mail = mail;
  }

  // sample: once
  /** Called by every server at about the same time. */
  boolean send(String day) throws InterruptedException {
    // For the next minutes the lock stays held, though the mail has been sent.
    LockOptions once = LockOptions.defaults().minHold(Duration.ofMinutes(10)).label("newsletter");
    return locks.lock("newsletter/" + day, once).tryRun(mail::run);
  }
  // end
}
