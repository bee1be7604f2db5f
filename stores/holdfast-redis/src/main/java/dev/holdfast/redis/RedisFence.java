package dev.holdfast.redis;

import dev.holdfast.FenceToken;
import dev.holdfast.Mode;
import dev.holdfast.Proof;
import dev.holdfast.StaleTokenException;
import dev.holdfast.StoreException;
import dev.holdfast.redis.script.Keys;
import dev.holdfast.redis.script.Script;
import dev.holdfast.spi.support.Failures;
import dev.holdfast.spi.support.StoredFence;
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
 * A fence for data in Redis: one script checks the token and writes, so no other write comes in
 * between.
 *
 * <p>The fence is a key beside the data, {@code PREFIXfence:{lock}}; it never expires and must not
 * be evicted. In a Cluster it shares a slot with the data only if their keys contain {@link #tag}.
 * Send every exclusive write through the fence: it cannot refuse what bypasses it.
 *
 * <p>Promises no more than the Redis that it is in: one that loses acknowledged writes at a
 * fail-over can lose the fence's last step too. The locks may be in another store.
 *
 * <p>Thread-safe. Each call blocks until it is answered, at most for the connection's time-out. A
 * call that ends in {@link StoreException} may or may not have taken effect, and is not repeated.
 */
public final class RedisFence extends StoredFence {

  private static final Failures FAILURES = new Failures("Redis");
  private static final String WRITE = "fenced write";
  private static final String CHECK = Script.read("script/fence.lua");
  private static final Script ONLY_CHECK = Script.ofText("fence", true, CHECK + "return { 'ok' }");
  private static final Script SET = written("redis.call('SET', KEYS[1], ARGV[1])");

  private final RedisClusterAsyncCommands<String, String> commands;
  private final Supplier<Duration> timeout;
  private final Keys keys;

  RedisFence(
      RedisClusterAsyncCommands<String, String> commands, Supplier<Duration> timeout, Keys keys) {
    this.commands = commands;
    this.timeout = timeout;
    this.keys = keys;
  }

  /** A fence on the caller's connection, which stays the caller's to close. */
  public static RedisFence over(
      StatefulRedisConnection<String, String> connection, RedisOptions options) {
    return new RedisFence(connection.async(), connection::getTimeout, new Keys(options.prefix()));
  }

  /** A fence on the caller's connection to a Cluster, which stays the caller's to close. */
  public static RedisFence over(
      StatefulRedisClusterConnection<String, String> connection, RedisOptions options) {
    return new RedisFence(connection.async(), connection::getTimeout, new Keys(options.prefix()));
  }

  /**
   * @return what the keys of data in a Cluster must contain to share a slot with the lock's fence
   */
  public static String tag(String lock) {
    return Keys.tag(lock);
  }

  /**
   * Sets a key, if the token is not stale.
   *
   * @throws StaleTokenException if a later holder has entered; nothing was written
   */
  public void set(Proof proof, String key, String value) {
    write(SET, proof, List.of(key), List.of(value));
  }

  /**
   * Runs the caller's Lua script, if the token is not stale, in the same step. It finds {@code
   * KEYS} and {@code ARGV} as given here.
   *
   * @return what the script returned, as Lettuce reads it: text, a number, a list or null
   * @throws StaleTokenException if a later holder has entered; the script did not run
   */
  public @Nullable Object write(Proof proof, String script, List<String> dataKeys, String... args) {
    return write(written(script), proof, dataKeys, List.of(args));
  }

  @Override
  protected long raise(String lock, long token) {
    return standing(run(ONLY_CHECK, lock, token, true, List.of(), List.of()), token);
  }

  @Override
  protected void put(String lock, long token) {
    if (token == FenceToken.NONE) {
      await(commands.del(keys.fence(lock)), lock);
    } else {
      await(commands.set(keys.fence(lock), Long.toString(token)), lock);
    }
  }

  @Override
  protected String place(String lock) {
    return "key " + keys.fence(lock);
  }

  private static Script written(String script) {
    return Script.ofText(
        "fence", false, CHECK + "return { 'ok', (function()\n" + script + "\nend)() }");
  }

  private @Nullable Object write(
      Script script, Proof proof, List<String> dataKeys, List<String> args) {
    long token = FenceToken.of(proof);
    boolean raises = proof.mode() == Mode.EXCLUSIVE;
    List<Object> reply = run(script, proof.lock(), token, raises, dataKeys, args);
    FenceToken.refuseOlder(proof, standing(reply, token));
    return reply.size() > 1 ? reply.get(1) : null;
  }

  /** {@return where the fence stands: not above the token that has passed} */
  private static long standing(List<Object> reply, long token) {
    return "stale".equals(reply.get(0)) ? Long.parseLong((String) reply.get(1)) : token;
  }

  private List<Object> run(
      Script script,
      String lock,
      long token,
      boolean raises,
      List<String> dataKeys,
      List<String> args) {
    List<String> allKeys = new ArrayList<>(dataKeys);
    allKeys.add(keys.fence(lock));
    List<String> allArgs = new ArrayList<>(args);
    allArgs.add(Long.toString(token));
    allArgs.add(raises ? "1" : "0");
    String[] k = allKeys.toArray(String[]::new);
    String[] a = allArgs.toArray(String[]::new);
    List<Object> reply;
    try {
      reply = await(commands.evalsha(script.digest(), ScriptOutputType.MULTI, k, a), lock);
    } catch (RedisNoScriptException e) {
      reply = await(commands.eval(script.text(), ScriptOutputType.MULTI, k, a), lock);
    }
    if ("damaged".equals(reply.get(0))) {
      throw damaged(lock, (String) reply.get(1));
    }
    return reply;
  }

  private <T> T await(RedisFuture<T> answer, String lock) {
    try {
      return answer.get(timeout.get().toNanos(), TimeUnit.NANOSECONDS);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RedisNoScriptException unknown) {
        throw unknown;
      }
      throw e.getCause() instanceof RedisCommandExecutionException refusal
          ? FAILURES.refused(WRITE, lock, String.valueOf(refusal.getMessage()), refusal)
          : FAILURES.noAnswer(WRITE, lock, Failures.reason(e), e);
    } catch (TimeoutException e) {
      throw FAILURES.noAnswer(WRITE, lock, "time-out", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw FAILURES.noAnswer(WRITE, lock, "interrupted", e);
    } finally {
      answer.cancel(true); // a command that is cancelled is not sent again after a reconnection
    }
  }
}
