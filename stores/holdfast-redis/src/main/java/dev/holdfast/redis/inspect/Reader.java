package dev.holdfast.redis.inspect;

import dev.holdfast.LockInfo;
import dev.holdfast.StoreException;
import dev.holdfast.UnreadableRecordException;
import dev.holdfast.redis.client.StoreConnection;
import dev.holdfast.redis.protocol.LockScripts;
import dev.holdfast.redis.script.Keys;
import dev.holdfast.redis.script.Reply;
import dev.holdfast.redis.script.Script;
import dev.holdfast.spi.Left;
import dev.holdfast.spi.support.AllAnswers;
import dev.holdfast.spi.support.Failures;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** Inspects, lists and discards what is stored of locks, for people. Thread-safe. */
public final class Reader {

  private final StoreConnection connection;
  private final Keys keys;
  private final LockScripts scripts;

  public Reader(StoreConnection connection, Keys keys, LockScripts scripts) {
    this.connection = connection;
    this.keys = keys;
    this.scripts = scripts;
  }

  public CompletableFuture<LockInfo> inspect(String lock) {
    return scripts.one(Script.INSPECT, lock).thenApply(reply -> info(lock, reply));
  }

  private LockInfo info(String lock, Reply reply) {
    try {
      return reply.info(lock);
    } catch (IllegalArgumentException | ClassCastException | IndexOutOfBoundsException e) {
      throw scripts.unreadable(lock, "it is damaged");
    }
  }

  // Only the client can tell whether a record is readable, and only the script that it has not
  // changed since.
  public CompletableFuture<Boolean> discard(String lock) {
    return scripts
        .one(Script.DISCARD, lock, "")
        .thenCompose(
            reply ->
                inspect(lock)
                    .thenApply(readable -> false)
                    .exceptionallyCompose(failure -> discard(lock, reply.stored(), failure)));
  }

  private CompletableFuture<Boolean> discard(String lock, String stored, Throwable failure) {
    return Failures.unwrap(failure) instanceof UnreadableRecordException
        ? scripts.one(Script.DISCARD, lock, stored).thenApply(reply -> reply.left() == Left.LEFT)
        : CompletableFuture.failedFuture(failure);
  }

  /** Lists the locks in use. */
  public CompletableFuture<List<LockInfo>> list(String prefix, int limit) {
    return new KeyScan<>(connection, keys, prefix, limit, this::inUse)
        .run(connection.requests().timeout())
        .thenApply(found -> List.copyOf(found.values()));
  }

  private CompletableFuture<Map<String, LockInfo>> inUse(List<String> locks) {
    Map<String, CompletableFuture<Reply>> replies =
        scripts.each(
            Script.INSPECT,
            locks,
            lock -> lock,
            lock -> List.of(),
            connection.requests().timeout());
    return AllAnswers.of(replies.values())
        .thenApply(
            done -> {
              Map<String, LockInfo> infos = new HashMap<>();
              replies.forEach((lock, reply) -> add(lock, reply.join(), infos));
              return infos;
            });
  }

  private void add(String lock, Reply reply, Map<String, LockInfo> infos) {
    try {
      LockInfo info = info(lock, scripts.checked(Script.INSPECT, lock, reply));
      if (info.isHeld() || !info.waiters().isEmpty()) {
        infos.put(lock, info);
      }
    } catch (StoreException e) {
      Failures.skipped(e);
    }
  }
}
