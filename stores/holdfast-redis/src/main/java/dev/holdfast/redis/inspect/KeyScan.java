package dev.holdfast.redis.inspect;

import dev.holdfast.StoreException;
import dev.holdfast.redis.client.StoreConnection;
import dev.holdfast.redis.script.Keys;
import dev.holdfast.spi.Deadline;
import io.lettuce.core.ScanArgs;
import io.lettuce.core.ScanCursor;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * Walks through all keys of a server, a page at a time: Redis keeps them in no order. The next page
 * is fetched when one has been handled. Keeps no more than was asked for.
 *
 * @param <A> what is found out about a lock
 */
public final class KeyScan<A> {

  private static final int PAGE = 1_000;

  private final StoreConnection connection;
  private final Keys keys;
  private final String prefix;
  private final int limit;
  private final Function<List<String>, CompletionStage<Map<String, A>>> look;
  private final TreeMap<String, A> found = new TreeMap<>(); // used by one page at a time

  /**
   * @param prefix which the names of the locks have
   * @param limit the most locks to find, the first by their names
   * @param look gets the names of locks on one page, and finds out which of them count
   */
  public KeyScan(
      StoreConnection connection,
      Keys keys,
      String prefix,
      int limit,
      Function<List<String>, CompletionStage<Map<String, A>>> look) {
    this.connection = connection;
    this.keys = keys;
    this.prefix = prefix;
    this.limit = limit;
    this.look = look;
  }

  /**
   * @return what was found, by the names of the locks; fails with {@link StoreException} if that
   *     takes too long
   */
  public CompletableFuture<TreeMap<String, A>> run(Deadline deadline) {
    return limit <= 0
        ? CompletableFuture.completedFuture(found)
        : from(ScanCursor.INITIAL, deadline);
  }

  private CompletableFuture<TreeMap<String, A>> from(ScanCursor cursor, Deadline deadline) {
    if (deadline.isOver()) {
      return CompletableFuture.failedFuture(
          new StoreException("", "Too many keys to list the locks in time: nothing is listed."));
    }
    ScanArgs arguments = ScanArgs.Builder.limit(PAGE).match(keys.pattern(prefix));
    return connection
        .requests()
        .send("SCAN command", () -> connection.commands().scan(cursor, arguments))
        .thenCompose(
            page ->
                look.apply(wanted(page.getKeys()))
                    .thenCompose(
                        more -> {
                          found.putAll(more);
                          while (found.size() > limit) {
                            found.pollLastEntry();
                          }
                          return page.isFinished()
                              ? CompletableFuture.completedFuture(found)
                              : from(page, deadline);
                        }));
  }

  private List<String> wanted(List<String> page) {
    return page.stream()
        .map(keys::name)
        .filter(Objects::nonNull)
        .filter(name -> name.startsWith(prefix))
        .filter(name -> found.size() < limit || name.compareTo(found.lastKey()) < 0)
        .toList();
  }
}
