package dev.holdfast.redis.protocol;

import dev.holdfast.StoreException;
import dev.holdfast.UnreadableRecordException;
import dev.holdfast.redis.client.StoreConnection;
import dev.holdfast.redis.script.ClaimRecord;
import dev.holdfast.redis.script.Keys;
import dev.holdfast.redis.script.Reply;
import dev.holdfast.redis.script.Script;
import dev.holdfast.redis.script.ScriptRunner;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.support.Chunks;
import dev.holdfast.spi.support.Failures;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Runs the scripts on locks: on one lock, or for many claims in few round trips. Thread-safe. */
public final class LockScripts {

  // While a script runs the server does nothing else: some hundred microseconds are enough.
  private static final int CHUNK = 64;

  private final Failures failures;
  private final StoreConnection commands;
  private final ScriptRunner grants;
  private final Keys keys;

  public LockScripts(String url, StoreConnections connections, Keys keys) {
    this.failures = new Failures(url);
    this.commands = connections.commands();
    this.grants = connections.grants();
    this.keys = keys;
  }

  /**
   * Runs a script on one lock; fails with {@link StoreException} if the script could not work.
   *
   * @param answer what the reply says
   */
  public <R> CompletableFuture<R> one(
      Script script,
      String lock,
      List<String> arguments,
      Deadline deadline,
      Function<Reply, R> answer) {
    return runner(script)
        .run(script, lock, keysOf(lock), arguments, deadline)
        .thenApply(replies -> answer.apply(checked(script, lock, replies.get(0))));
  }

  /** As the other one, with the operation time-out as its deadline. */
  public CompletableFuture<Reply> one(Script script, String lock, String... arguments) {
    return one(script, lock, List.of(arguments), commands.requests().timeout(), reply -> reply);
  }

  /**
   * Runs a script for many items, each about a lock.
   *
   * @param arguments of an item, as the script reads them
   * @return for each item its reply, not checked
   */
  public <T> Map<T, CompletableFuture<Reply>> each(
      Script script,
      Collection<T> items,
      Function<T, String> lock,
      Function<T, List<String>> arguments,
      Deadline deadline) {
    if (items.size() == 1) { // nearly every release
      T only = items.iterator().next();
      String name = lock.apply(only);
      return Map.of(
          only,
          runner(script)
              .run(script, name, keysOf(name), arguments.apply(only), deadline)
              .thenApply(some -> some.get(0)));
    }
    Map<T, CompletableFuture<Reply>> replies = new HashMap<>();
    for (List<T> chunk : chunks(items, lock)) {
      List<String> locks = chunk.stream().map(lock).toList();
      List<String> all = chunk.stream().flatMap(item -> arguments.apply(item).stream()).toList();
      CompletableFuture<List<Reply>> answer =
          runner(script)
              .run(
                  script,
                  locks.get(0),
                  locks.stream().flatMap(one -> keysOf(one).stream()).toList(),
                  all,
                  deadline);
      for (int i = 0; i < chunk.size(); i++) {
        int index = i;
        replies.put(chunk.get(i), answer.thenApply(some -> some.get(index)));
      }
    }
    return replies;
  }

  /** Groups items that one script may take together. */
  private <T> List<List<T>> chunks(Collection<T> items, Function<T, String> lock) {
    if (!commands.isCluster()) {
      return Chunks.of(items, CHUNK);
    }
    return items.stream()
        .collect(Collectors.groupingBy(item -> commands.slot(keys.lock(lock.apply(item)))))
        .values()
        .stream()
        .flatMap(sameSlot -> Chunks.of(sameSlot, CHUNK).stream())
        .toList();
  }

  private ScriptRunner runner(Script script) {
    return script.grants() ? grants : commands;
  }

  public UnreadableRecordException unreadable(String lock, String why) {
    return new UnreadableRecordException(lock, "key " + keys.lock(lock), why);
  }

  /**
   * {@return the reply; throws {@link StoreException} if the script could not work on this lock}
   */
  public Reply checked(Script script, String lock, Reply reply) {
    if (!reply.word().equals("error")) {
      return reply;
    }
    String error = reply.error();
    if (error.startsWith("FORMAT ")) {
      throw unreadable(lock, "it has another format than 4, which this version knows");
    }
    if (reply.isOfOtherType()) {
      throw unreadable(lock, "it is not a hash, or what belongs to it is of another type");
    }
    if (reply.isUnreadable()) {
      throw unreadable(lock, "it is damaged");
    }
    if (error.startsWith("TOKEN ")) {
      throw new StoreException(
          lock,
          ("The record of '%s' (key %s) says that its last token was %s, and Redis counts exactly"
                  + " only up to %d. Once nobody holds the lock, remove its record"
                  + " (holdfast break --force) and reset its fences.")
              .formatted(lock, keys.lock(lock), error.substring(6), ClaimRecord.EXACT));
    }
    if (error.contains("READONLY")) {
      commands.reconnect(); // it was the master when the connection was made
    }
    throw failures.refused(script.operation(), lock, error, null);
  }

  private List<String> keysOf(String lock) {
    String key = keys.lock(lock);
    return List.of(key, Keys.line(key));
  }
}
