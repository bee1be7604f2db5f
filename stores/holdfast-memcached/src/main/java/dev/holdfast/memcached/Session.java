package dev.holdfast.memcached;

import dev.holdfast.StoreException;
import dev.holdfast.spi.Credentials;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * A connection that is logged in and knows when its server was started.
 *
 * <p>A server counts its writes from 1 and forgets the count when it ends. Its start in
 * microseconds plus the count gives versions that rise over restarts, as long as the server's clock
 * does and it makes less than a million writes in a second. A connection lives no longer than the
 * server's process, so what is asked once for each connection cannot be out of date.
 *
 * <p>The start is told in whole seconds. So that no two processes give out versions with the same
 * one, a server is used only when it is about two seconds old.
 *
 * @param connection where to ask
 * @param start when the server was started, in microseconds since 1970 by its clock
 */
record Session(Connection connection, long start) {

  private static final long MICROS = 1_000_000;
  private static final int OLD_ENOUGH = 4; // its count of seconds begins with 2
  private static final String STATISTICS = "stats\r\n";

  /** Asks for the start, and logs in first if the server wants it. */
  static CompletionStage<Session> open(Connection connection, Credentials credentials) {
    // The password only after the server has asked: any other would keep it as an entry to be read.
    return connection
        .ask(STATISTICS)
        .thenCompose(
            reply ->
                reply.line().equals("CLIENT_ERROR unauthenticated")
                    ? logIn(connection, credentials)
                        .thenCompose(loggedIn -> connection.ask(STATISTICS))
                    : CompletableFuture.completedFuture(reply))
        .thenCompose(reply -> comeOfAge(connection, reply));
  }

  private static CompletionStage<Session> comeOfAge(Connection connection, Reply reply) {
    if (!reply.code().equals("END")) {
      throw reply.unexpected();
    }
    long uptime = reply.statistic("uptime");
    if (uptime < OLD_ENOUGH) {
      return connection.askAgain(STATISTICS).thenCompose(later -> comeOfAge(connection, later));
    }
    long start = (reply.statistic("time") - uptime) * MICROS;
    return CompletableFuture.completedFuture(new Session(connection, start));
  }

  private static CompletionStage<Void> logIn(Connection connection, Credentials credentials) {
    String user = credentials.user();
    String password = credentials.password();
    if (user == null || password == null) {
      throw new StoreException("", "it asks for a user and a password");
    }
    String secret = user + " " + password;
    int length = secret.getBytes(StandardCharsets.UTF_8).length;
    return connection
        .ask("set auth 0 0 " + length + "\r\n" + secret + "\r\n")
        .thenAccept(
            reply -> {
              if (!reply.code().equals("STORED")) {
                throw new StoreException("", "it refuses user '" + user + "' or the password");
              }
            });
  }

  /** The version of an entry with this compare-and-swap value. */
  long version(long cas) {
    if (cas == 0) {
      throw new StoreException("", "it has compare-and-swap switched off; start it without -C");
    }
    return start + cas;
  }

  /** The reverse; not positive for what was written before the server was started. */
  long cas(long version) {
    return version - start;
  }
}
