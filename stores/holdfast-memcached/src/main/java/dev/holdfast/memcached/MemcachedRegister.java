package dev.holdfast.memcached;

import dev.holdfast.Diagnosis;
import dev.holdfast.StoreException;
import dev.holdfast.spi.Register;
import dev.holdfast.spi.support.Failures;
import dev.holdfast.spi.support.NoAnswerException;
import io.netty.channel.EventLoopGroup;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Memcached as a register, by its meta commands: {@code ms} with mode {@code E} (add) or with the
 * compare-and-swap value, {@code mg}, {@code md}. Each is one round trip.
 *
 * <p><b>Versions</b> are the server's start plus its compare-and-swap value: see {@link
 * StoreConnection}.
 *
 * <p><b>Expiry.</b> Memcached reads its clock about once a second and drops the fraction, so its
 * idea of the present is up to two seconds old, and now and then it skips a second. An entry may
 * therefore end two seconds early: the ttl is rounded up to seconds, and two are added.
 *
 * <p>Thread-safe.
 */
final class MemcachedRegister implements Register {

  private final String address;
  private final Servers servers;
  private final Keys keys;
  private final EventLoopGroup loop;

  MemcachedRegister(String address, Servers servers, Keys keys, EventLoopGroup loop) {
    this.address = address;
    this.servers = servers;
    this.keys = keys;
    this.loop = loop;
  }

  @Override
  public CompletionStage<Optional<Entry>> read(String key) {
    String stored = keys.of(key);
    return servers
        .of(stored)
        .request(
            "read",
            key,
            connection ->
                connection
                    .ask("mg " + stored + " v c t\r\n")
                    .thenApply(reply -> entry(connection, reply)));
  }

  private static Optional<Entry> entry(StoreConnection connection, Reply reply) {
    return switch (reply.code()) {
      case "EN" -> Optional.empty();
      case "VA" ->
          Optional.of(
              new Entry(
                  reply.body(),
                  connection.version(reply.flag('c')),
                  Duration.ofSeconds(Math.max(0, reply.flag('t') - 1))));
      default -> throw reply.unexpected();
    };
  }

  @Override
  public CompletionStage<OptionalLong> compareAndSet(
      String key, long expected, @Nullable String value, Duration ttl) {
    String stored = keys.of(key);
    return servers
        .of(stored)
        .request(
            "write",
            key,
            connection -> {
              if (expected != ABSENT && connection.cas(expected) <= 0) {
                // Written before the server was started, so it is gone.
                return CompletableFuture.completedFuture(OptionalLong.empty());
              }
              String condition = expected == ABSENT ? "ME" : "C" + connection.cas(expected);
              String command =
                  value == null
                      ? "md " + stored + " " + condition + "\r\n"
                      : set(stored, condition, value, ttl);
              return connection
                  .ask(command)
                  .thenApply(reply -> version(connection, reply, value == null));
            });
  }

  private static String set(String key, String condition, String value, Duration ttl) {
    int length = value.getBytes(StandardCharsets.UTF_8).length;
    return "ms "
        + key
        + " "
        + length
        + " "
        + condition
        + " T"
        + seconds(ttl)
        + " c\r\n"
        + value
        + "\r\n";
  }

  /** {@return the ttl rounded up, plus two} */
  static long seconds(Duration ttl) {
    return ttl.toSeconds() + (ttl.getNano() > 0 ? 3 : 2);
  }

  private static OptionalLong version(StoreConnection connection, Reply reply, boolean deleted) {
    return switch (reply.code()) {
      case "HD" -> OptionalLong.of(deleted ? ABSENT : connection.version(reply.flag('c')));
      case "NS", "EX", "NF" -> OptionalLong.empty();
      default -> throw reply.unexpected();
    };
  }

  /**
   * Connects to all servers. Some may be down: their locks are unknown until they are back.
   *
   * @throws StoreException if a server refuses the connection, or none answers
   */
  MemcachedRegister opened(Duration timeout) {
    List<CompletableFuture<Optional<Throwable>>> answers =
        servers.all().stream().map(server -> failure(server, timeout)).toList();
    List<Throwable> failures = answers.stream().flatMap(it -> it.join().stream()).toList();
    Optional<Throwable> refusal =
        failures.stream().filter(it -> !(it instanceof NoAnswerException)).findFirst();
    if (refusal.isPresent() || failures.size() == answers.size()) {
      close();
      Throwable worst = refusal.orElse(failures.get(0));
      throw new StoreException("", String.valueOf(worst.getMessage()), worst);
    }
    return this;
  }

  private static CompletableFuture<Optional<Throwable>> failure(Server server, Duration timeout) {
    return server
        .request(
            "connection",
            "",
            connection -> CompletableFuture.completedFuture(Optional.<Throwable>empty()))
        .exceptionally(failure -> Optional.of(Failures.unwrap(failure)))
        .toCompletableFuture()
        .completeOnTimeout(
            Optional.of(server.silent("connection", timeout)),
            timeout.toMillis(),
            TimeUnit.MILLISECONDS);
  }

  @Override
  public String place(String key) {
    return "key " + keys.of(key);
  }

  @Override
  public CompletionStage<Diagnosis> diagnose() {
    return StoreDiagnosis.of(servers.all());
  }

  @Override
  public void close() {
    servers.all().forEach(Server::close);
    loop.shutdownGracefully(0, 1, TimeUnit.SECONDS);
  }

  @Override
  public String toString() {
    return address;
  }
}
