package dev.holdfast.redis;

import dev.holdfast.Holdfast;
import dev.holdfast.LockOptions;
import java.time.Duration;

/** A process that keeps coming back to a lock, so that it keeps its claim; then it reads a line. */
final class ComingBack {

  static final String LOCK = "exit/lock";
  static final String URL = "COMING_BACK_URL";

  private ComingBack() {}

  public static void main(String[] args) throws Exception {
    LockOptions options = LockOptions.defaults().keepIdle(Duration.ofSeconds(10));
    Holdfast locks = Holdfast.connect(System.getenv(URL));
    for (int i = 0; i < 10; i++) {
      locks.lock(LOCK, options).acquire().close();
    }
    System.out.println("keeps");
    System.in.read();
    System.exit(0);
  }
}
