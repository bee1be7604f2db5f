package dev.holdfast.redis;

import dev.holdfast.LockInfo;
import dev.holdfast.StoreException;
import dev.holdfast.UnreadableRecordException;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Deadline;
import dev.holdfast.spi.support.PrintableText;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Function;

/** Runs the scripts on locks: one lock, or many claims in few round trips. Any threads. */
final class Verbs {

  private static final System.Logger LOG = System.getLogger(Verbs.class.getName());

  // A script keeps the server from everybody else: some hundred microseconds, not more.
  private static final int CHUNK = 64;

  private final String url;
  private final Link link;
  private final ScriptRunner grants;
  private final Keys keys;

  Verbs(String url, Connections connections, Keys keys) {
    this.url = url;
    this.link = connections.link();
    this.grants = connections.grants();
    this.keys = keys;
  }

  /**
   * What is to be done about one claim.
   *
   * @param arguments as the script reads them
   */
  record Item(Claim claim, List<String> arguments) {}

  /** Runs a script on one lock; fails with {@link StoreException} if it could not work. */
  CompletableFuture<Reply> one(
      Script script, String what, String lock, List<String> arguments, Deadline deadline) {
    return runner(script)
        .run(script, what, lock, keysOf(List.of(lock)), arguments, deadline)
        .thenApply(replies -> checked(what, lock, replies.get(0)));
  }

  /** As the other, within the operation time-out. */
  CompletableFuture<Reply> one(Script script, String what, String lock, List<String> arguments) {
    return one(script, what, lock, arguments, link.calls().timeout());
  }

  /** How locks stand; those that cannot be read are left out. */
  CompletableFuture<List<LockInfo>> look(List<String> locks) {
    Queue<LockInfo> infos = new ConcurrentLinkedQueue<>();
    List<CompletableFuture<?>> chunks = new ArrayList<>();
    for (List<String> chunk : chunks(locks, lock -> lock)) {
      chunks.add(
          link.run(Script.INSPECT, "listing", "", keysOf(chunk), List.of(), link.calls().timeout())
              .thenAccept(replies -> collect(chunk, replies, infos)));
    }
    return allOf(chunks).thenApply(done -> List.copyOf(infos));
  }

  // A newer version may be in use at the same time; its locks must not hide all others.
  private void collect(List<String> locks, List<Reply> replies, Queue<LockInfo> infos) {
    for (int i = 0; i < locks.size(); i++) {
      try {
        infos.add(info(locks.get(i), checked("listing", locks.get(i), replies.get(i))));
      } catch (StoreException e) {
        LOG.log(
            Level.WARNING,
            PrintableText.message("Skipping a lock in the listing: " + e.getMessage()));
      }
    }
  }

  /** Runs a script on many claims; never fails, but for each claim. */
  CompletableFuture<Map<Claim, Outcome>> many(
      Script script, String what, List<Item> items, Deadline deadline) {
    if (items.size() == 1) {
      return run(script, what, items, deadline);
    }
    Map<Claim, Outcome> outcomes = new ConcurrentHashMap<>();
    List<CompletableFuture<?>> chunks = new ArrayList<>();
    for (List<Item> chunk : chunks(items, item -> item.claim().lock())) {
      chunks.add(run(script, what, chunk, deadline).thenAccept(outcomes::putAll));
    }
    return allOf(chunks).thenApply(done -> outcomes);
  }

  /** Parts things into those that one script may take together. */
  private <T> List<List<T>> chunks(List<T> things, Function<T, String> lock) {
    Map<Integer, List<T>> open = new LinkedHashMap<>();
    List<List<T>> chunks = new ArrayList<>();
    for (T thing : things) {
      int slot = link.slot(keys.lock(lock.apply(thing)));
      List<T> chunk = open.computeIfAbsent(slot, key -> new ArrayList<>());
      chunk.add(thing);
      if (chunk.size() == CHUNK) {
        chunks.add(chunk);
        open.remove(slot);
      }
    }
    chunks.addAll(open.values());
    return chunks;
  }

  private CompletableFuture<Map<Claim, Outcome>> run(
      Script script, String what, List<Item> chunk, Deadline deadline) {
    List<String> locks = new ArrayList<>(chunk.size());
    List<String> arguments = new ArrayList<>(4 * chunk.size());
    for (Item item : chunk) {
      locks.add(item.claim().lock());
      arguments.addAll(item.arguments());
    }
    return runner(script)
        .run(script, what, locks.get(0), keysOf(locks), arguments, deadline)
        .handle(
            (replies, failure) -> {
              Map<Claim, Outcome> outcomes = new LinkedHashMap<>();
              for (int i = 0; i < chunk.size(); i++) {
                outcomes.put(
                    chunk.get(i).claim(),
                    failure != null
                        ? new Outcome(null, unwrap(locks.get(i), failure))
                        : outcome(what, locks.get(i), replies.get(i)));
              }
              return outcomes;
            });
  }

  private ScriptRunner runner(Script script) {
    return script.grants() ? grants : link;
  }

  private Outcome outcome(String what, String lock, Reply reply) {
    try {
      return new Outcome(checked(what, lock, reply), null);
    } catch (StoreException e) {
      return new Outcome(null, e);
    }
  }

  UnreadableRecordException unreadable(String lock, String why) {
    return new UnreadableRecordException(lock, "key " + keys.lock(lock), why);
  }

  /** What an inspection has found. */
  LockInfo info(String lock, Reply reply) {
    try {
      return reply.info(lock);
    } catch (IllegalArgumentException | ClassCastException | IndexOutOfBoundsException e) {
      throw unreadable(lock, "it is damaged");
    }
  }

  private Reply checked(String what, String lock, Reply reply) {
    if (!reply.word().equals("error")) {
      return reply;
    }
    String error = reply.error();
    if (error.startsWith("FORMAT ")) {
      throw unreadable(lock, "it has another format than 3, which this version knows");
    }
    if (error.contains("WRONGTYPE")) {
      throw unreadable(lock, "it is not a hash, or what belongs to it is of another type");
    }
    // What a script says when a part is missing, or is not a number.
    if (error.contains("RECORD") || error.contains("attempt to ")) {
      throw unreadable(lock, "it is damaged");
    }
    if (error.startsWith("TOKEN ")) {
      throw new StoreException(
          lock,
          ("The record of '%s' (key %s) says that its last token was %s, and Redis counts exactly"
                  + " only up to %d. Once nobody holds the lock, remove its record"
                  + " (holdfast break --force) and reset its fences.")
              .formatted(lock, keys.lock(lock), error.substring(6), ClaimArgs.EXACT));
    }
    if (error.contains("READONLY")) {
      link.reconnect(); // it was the master when the connection was made
    }
    throw new StoreException(lock, url + " refused the " + what + " of '" + lock + "': " + error);
  }

  private List<String> keysOf(List<String> locks) {
    List<String> result = new ArrayList<>(2 * locks.size());
    for (String lock : locks) {
      result.add(keys.lock(lock));
      result.add(keys.line(lock));
    }
    return result;
  }

  private static CompletableFuture<Void> allOf(List<CompletableFuture<?>> stages) {
    return CompletableFuture.allOf(stages.toArray(CompletableFuture[]::new));
  }

  private static StoreException unwrap(String lock, Throwable failure) {
    Throwable cause =
        failure instanceof CompletionException e && e.getCause() != null ? e.getCause() : failure;
    return cause instanceof StoreException known
        ? known
        : new StoreException(lock, "strange answer: " + cause.getMessage(), cause);
  }
}
