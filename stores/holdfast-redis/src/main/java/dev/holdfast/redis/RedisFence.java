package dev.holdfast.redis;

import dev.holdfast.Fence;
import dev.holdfast.Mode;
import dev.holdfast.Proof;
import dev.holdfast.StaleTokenException;
import dev.holdfast.StoreException;
import dev.holdfast.spi.FenceToken;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A fence for data that live in Redis: one script checks the token and writes, so nobody comes in
 * between.
 *
 * <p>The fence is a key beside the data, {@code PREFIXfence:{lock}}; it never expires and must not
 * be evicted. In a Cluster it shares a slot with the data only if their keys contain {@link #tag}.
 * Give every exclusive write through a fence: it refuses nothing that goes around it.
 *
 * <p>Promises no more than the Redis it is in: one that loses acknowledged writes at a fail-over
 * can lose the fence's last step too. It need not be the Redis that keeps the locks.
 *
 * <p><b>Threads.</b> Any; each call waits for the answer, at most the connection's time-out. A call
 * that ends in {@link StoreException} may or may not have taken effect, and is not sent any more.
 */
public final class RedisFence implements Fence {

  private static final String CHECK = Script.read("fence.lua");
  private static final Script ONLY_CHECK = Script.ofText(CHECK + "return { 'ok' }", true);
  private static final Script SET = written("redis.call('SET', KEYS[1], ARGV[1])");

  private final RedisClusterAsyncCommands<String, String> commands;
  private final Supplier<Duration> timeout;
  private final String prefix;

  RedisFence(
      RedisClusterAsyncCommands<String, String> commands,
      Supplier<Duration> timeout,
      String prefix) {
    this.commands = commands;
    this.timeout = timeout;
    this.prefix = prefix;
  }

  /** On the caller's connection, which stays the caller's to close. */
  public static RedisFence over(
      StatefulRedisConnection<String, String> connection, RedisOptions options) {
    return new RedisFence(connection.async(), connection::getTimeout, options.prefix());
  }

  /** On the caller's connection to a Cluster, which stays the caller's to close. */
  public static RedisFence over(
      StatefulRedisClusterConnection<String, String> connection, RedisOptions options) {
    return new RedisFence(connection.async(), connection::getTimeout, options.prefix());
  }

  /** What the keys of data in a Cluster must contain to share a slot with the lock's fence. */
  public static String tag(String lock) {
    return "{" + Keys.escape(lock) + "}";
  }

  @Override
  public void enter(Proof proof) {
    run(ONLY_CHECK, proof, proof.mode() == Mode.EXCLUSIVE, List.of(), List.of());
  }

  @Override
  public void check(Proof proof) {
    run(ONLY_CHECK, proof, false, List.of(), List.of());
  }

  /**
   * Sets a key, if the token is not stale.
   *
   * @throws StaleTokenException if a later holder has been here; nothing was written
   */
  public void set(Proof proof, String key, String value) {
    run(SET, proof, proof.mode() == Mode.EXCLUSIVE, List.of(key), List.of(value));
  }

  /**
   * Runs a Lua script of the caller's, if the token is not stale, in the same step. It finds {@code
   * KEYS} and {@code ARGV} as given here.
   *
   * @return what the script returned, as Lettuce reads it: text, a number, a list or null
   * @throws StaleTokenException if a later holder has been here; the script did not run
   */
  public @Nullable Object write(Proof proof, String script, List<String> keys, String... args) {
    boolean raises = proof.mode() == Mode.EXCLUSIVE;
    return run(written(script), proof, raises, keys, List.of(args));
  }

  @Override
  public long current(String lock) {
    try {
      String text = await(commands.get(key(lock)), lock);
      return text == null ? FenceToken.NONE : FenceToken.read(lock, place(lock), text);
    } catch (StoreException e) {
      if (e.getCause() instanceof RedisCommandExecutionException refused
          && String.valueOf(refused.getMessage()).startsWith("WRONGTYPE")) {
        throw FenceToken.damaged(lock, place(lock), "another type than text");
      }
      throw e;
    }
  }

  @Override
  public void reset(String lock, long token) {
    if (FenceToken.forReset(lock, token) == FenceToken.NONE) {
      await(commands.del(key(lock)), lock);
    } else {
      await(commands.set(key(lock), Long.toString(token)), lock);
    }
  }

  private String key(String lock) {
    return prefix + "fence:" + tag(lock);
  }

  private String place(String lock) {
    return "key " + key(lock);
  }

  private static Script written(String script) {
    return Script.ofText(CHECK + "return { 'ok', (function()\n" + script + "\nend)() }", false);
  }

  private @Nullable Object run(
      Script script, Proof proof, boolean raises, List<String> keys, List<String> args) {
    FenceToken.of(proof);
    List<String> allKeys = new ArrayList<>(keys);
    allKeys.add(key(proof.lock()));
    List<String> allArgs = new ArrayList<>(args);
    allArgs.add(Long.toString(proof.token()));
    allArgs.add(raises ? "1" : "0");
    String[] k = allKeys.toArray(String[]::new);
    String[] a = allArgs.toArray(String[]::new);
    List<Object> reply;
    try {
      reply = await(commands.evalsha(script.digest(), ScriptOutputType.MULTI, k, a), proof.lock());
    } catch (RedisNoScriptException e) {
      reply = await(commands.eval(script.text(), ScriptOutputType.MULTI, k, a), proof.lock());
    }
    if ("stale".equals(reply.get(0))) {
      long current = Long.parseLong((String) reply.get(1));
      throw new StaleTokenException(proof.lock(), proof.token(), current);
    }
    if ("damaged".equals(reply.get(0))) {
      throw FenceToken.damaged(proof.lock(), place(proof.lock()), (String) reply.get(1));
    }
    return reply.size() > 1 ? reply.get(1) : null;
  }

  private <T> T await(RedisFuture<T> answer, String lock) {
    try {
      return answer.get(timeout.get().toNanos(), TimeUnit.NANOSECONDS);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RedisNoScriptException unknown) {
        throw unknown;
      }
      throw noAnswer(lock, e.getCause() == null ? e : e.getCause());
    } catch (TimeoutException e) {
      throw noAnswer(lock, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw noAnswer(lock, e);
    } finally {
      answer.cancel(true); // a command that is cancelled is not sent again after a reconnection
    }
  }

  private static StoreException noAnswer(String lock, Throwable cause) {
    String about = "a fenced write for '" + lock + "'";
    return new StoreException(
        lock,
        cause instanceof RedisCommandExecutionException
            ? "Redis refused " + about + ": " + cause.getMessage()
            : "No answer to " + about + ": it may or may not have taken effect (" + cause + ").",
        cause);
  }
}
