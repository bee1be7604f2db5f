package dev.holdfast.redis.redlock;

import dev.holdfast.StoreException;
import dev.holdfast.redis.script.Reply;
import dev.holdfast.redis.script.Script;
import dev.holdfast.redis.script.ScriptRunner;
import dev.holdfast.spi.Deadline;
import dev.holdfast.testkit.ManualTicker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A node in plain Java that does as the scripts do, behind a network that delays, reorders and
 * loses. All that happens follows from a seed.
 */
final class NodeModel {

  /** What a node may do wrong. */
  enum Flaw {
    /** It raises the counter and says yes, for any holder. */
    CONFIRMS_TO_ANYBODY,
    /** It confirms tokens and does not write them down. */
    RAISES_NO_COUNTER,
    /** It votes as soon as it is back, empty. */
    VOTES_WHEN_EMPTY,
    /** It does not rest before it learns the counter. */
    DOES_NOT_REST,
    /** It believes what an old snapshot says. */
    TRUSTS_ITS_SNAPSHOT,
    /** It ends claims before their time. */
    LETS_GO_EARLY
  }

  private final ManualTicker ticker;
  private final Random random;
  private final @Nullable Flaw flaw;

  // Mutable state
  private Map<String, Held> locks = new HashMap<>();
  private final Map<String, Long> tombstones = new HashMap<>();
  private int life;
  private String incarnation = "0";
  private @Nullable Long counter = 0L;
  private long born;
  private @Nullable Runnable snapshot;

  private static final class Held {
    final String id;
    String round = "";
    long token;
    long until;

    Held(String id) {
      this.id = id;
    }

    Held copy() {
      Held copy = new Held(id);
      copy.round = round;
      copy.token = token;
      copy.until = until;
      return copy;
    }
  }

  NodeModel(ManualTicker ticker, Random random, @Nullable Flaw flaw) {
    this.ticker = ticker;
    this.random = random;
    this.flaw = flaw;
  }

  boolean remembers() {
    return counter != null && incarnation.equals(life());
  }

  /** Writes down what a later restart may bring back. */
  void save() {
    Map<String, Held> then = new HashMap<>();
    locks.forEach((lock, held) -> then.put(lock, held.copy()));
    Long counted = counter;
    String lived = incarnation;
    snapshot =
        () -> {
          locks = then;
          counter = counted;
          incarnation = has(Flaw.TRUSTS_ITS_SNAPSHOT) ? life() : lived;
        };
  }

  /** Restarts with its last snapshot, or empty. */
  void restart() {
    life++;
    locks = new HashMap<>();
    tombstones.clear();
    counter = has(Flaw.VOTES_WHEN_EMPTY) ? Long.valueOf(0) : null;
    incarnation = has(Flaw.VOTES_WHEN_EMPTY) ? life() : "";
    if (snapshot != null) {
      snapshot.run();
      snapshot = null;
    }
  }

  /** A clock that jumps ahead ends claims before their time. */
  void endEarly() {
    locks.clear();
  }

  /** One client's way to it. */
  ScriptRunner link(int losesPercent) {
    return new ScriptRunner() {
      @Override
      public CompletableFuture<List<Reply>> run(
          Script script, String lock, List<String> keys, List<String> args, Deadline deadline) {
        CompletableFuture<List<Reply>> answer = new CompletableFuture<>();
        ticker.schedule(
            deadline.remaining(),
            () -> answer.completeExceptionally(new StoreException(lock, "no answer")));
        if (random.nextInt(100) >= losesPercent) {
          ticker.schedule(
              latency(),
              () -> {
                List<Reply> replies = act(script, keys, args);
                if (random.nextInt(100) >= losesPercent) {
                  ticker.schedule(latency(), () -> answer.complete(replies));
                }
              });
        }
        return answer;
      }

      @Override
      public CompletableFuture<Void> close() {
        return CompletableFuture.completedFuture(null);
      }
    };
  }

  // Mostly quick; now and then so late that everybody has given up and others have come and gone.
  private Duration latency() {
    int kind = random.nextInt(100);
    int millis = kind < 90 ? 1 + random.nextInt(5) : kind < 98 ? random.nextInt(300) : 3_000;
    return Duration.ofMillis(millis);
  }

  private List<Reply> act(Script script, List<String> keys, List<String> args) {
    long now = ticker.sinceStart().toMillis();
    locks.values().removeIf(held -> held.until <= now);
    tombstones.values().removeIf(until -> until <= now);
    List<Reply> replies = new ArrayList<>();
    if (script.equals(NodeScripts.STATUS)) {
      replies.add(
          remembers() ? reply("remembers", text(), "1000", life(), incarnation) : resting(now));
    } else if (script.equals(NodeScripts.INSTALL)) {
      boolean rested = counter == null && args.get(0).equals(life());
      if (rested) {
        counter = Long.parseLong(args.get(1));
      }
      replies.add(reply(rested ? "ours" : "gone"));
    } else if (script.equals(NodeScripts.JOIN)) {
      replies.add(join(keys.get(1), args, now));
    } else if (script.equals(NodeScripts.ADVANCE)) {
      replies.add(advance(keys.get(1), args, now));
    } else {
      boolean refresh = script.equals(NodeScripts.REFRESH);
      int width = refresh ? 5 : 4;
      for (int i = 1; i < keys.size(); i++) {
        List<String> own = args.subList(width * (i - 1), width * i);
        replies.add(refresh ? refresh(keys.get(i), own, now) : leave(keys.get(i), own, now));
      }
    }
    return replies;
  }

  private Reply join(String lock, List<String> args, long now) {
    if (!remembers()) {
      if (counter != null || !incarnation.equals(life())) {
        counter = null;
        incarnation = life();
        born = now;
      }
      return resting(now);
    }
    raise(args.get(6));
    if (tombstones.containsKey(lock + args.get(0))) {
      return reply("tombstone");
    }
    Held held = locks.get(lock);
    if (held != null && !held.id.equals(args.get(0))) {
      return reply("busy", Script.sha1(held.id), "h;1;t;c;", "MUTEX");
    }
    if (held == null) {
      held = new Held(args.get(0));
      locks.put(lock, held);
    }
    held.round = args.get(1);
    held.until = now + Long.parseLong(args.get(5)) / (has(Flaw.LETS_GO_EARLY) ? 4 : 1);
    return reply("ours", text(), Long.toString(held.token));
  }

  private Reply advance(String lock, List<String> args, long now) {
    if (!remembers()) {
      return resting(now);
    }
    Held held = locks.get(lock);
    boolean ours = held != null && held.id.equals(args.get(0)) && held.round.equals(args.get(1));
    if (!ours && !has(Flaw.CONFIRMS_TO_ANYBODY)) {
      return reply("gone");
    }
    raise(args.get(2));
    if (ours) {
      held.token = Long.parseLong(args.get(3));
    }
    return reply("ours");
  }

  private void raise(String token) {
    if (!has(Flaw.RAISES_NO_COUNTER)) {
      counter = Math.max(Long.parseLong(text()), Long.parseLong(token));
    }
  }

  private Reply refresh(String lock, List<String> args, long now) {
    if (!remembers()) {
      return resting(now);
    }
    Held held = locks.get(lock);
    if (held == null || !held.id.equals(args.get(0))) {
      return reply("gone");
    }
    held.round = args.get(1).isEmpty() ? held.round : args.get(1);
    held.until = now + Long.parseLong(args.get(2));
    raise(args.get(4));
    return reply("ours", text(), Long.toString(held.token));
  }

  private Reply leave(String lock, List<String> args, long now) {
    if (!remembers()) {
      return resting(now);
    }
    Held held = locks.get(lock);
    boolean there =
        held != null
            && held.id.equals(args.get(0))
            && (args.get(1).isEmpty() || held.round.equals(args.get(1)));
    if (there) {
      locks.remove(lock);
    }
    if (!args.get(3).equals("0")) {
      tombstones.put(lock + args.get(0), now + Long.parseLong(args.get(3)));
    }
    return reply(there ? "left" : "gone");
  }

  private Reply resting(long now) {
    boolean rests = counter == null && incarnation.equals(life());
    long rested = has(Flaw.DOES_NOT_REST) ? 3_600_000 : now - born;
    return rests
        ? reply("resting", life(), Long.toString(rested * 1_000))
        : reply("resting", "", "0");
  }

  private boolean has(Flaw other) {
    return flaw == other;
  }

  private String life() {
    return Integer.toString(life);
  }

  private String text() {
    return String.valueOf(counter);
  }

  private static Reply reply(String... parts) {
    return new Reply(List.of(parts));
  }
}
