package dev.holdfast.consul;

import dev.holdfast.servers.ConsulServer;
import dev.holdfast.spi.LockStore;
import dev.holdfast.spi.StoreSettings;
import dev.holdfast.spi.Ticker;
import dev.holdfast.testkit.StoreFixture;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Optional;

/** Stores on one Consul that accepts short ttls, with the real clock. */
public final class ConsulFixture implements StoreFixture {

  /** With the default of 10 s each test of an expiry would take 20 s. */
  public static final String SETTINGS = "{\"session_ttl_min\": \"1s\"}";

  private static final String PREFIX = "holdfast/";
  private static final Duration TIMEOUT = Duration.ofSeconds(20);

  private final Ticker ticker = Ticker.system("consul-fixture");
  private final String url;
  private final Runnable restart;

  public ConsulFixture(String server, Runnable restart) {
    this.url = server + "?min-ttl=1s";
    this.restart = restart;
  }

  /** The server shared by the tests of this JVM that neither restart it nor count its requests. */
  public static ConsulServer server() {
    return ServerForAll.SERVER;
  }

  /** The session that the first claim to a lock is on. */
  public static String sessionOf(ConsulServer server, String lock) throws IOException {
    String stored = server.get("/v1/kv/holdfast/" + lock + "@?recurse");
    return Transaction.Result.keys(stored).get(0).lease();
  }

  @Override
  public LockStore open() {
    return new ConsulProvider().open(url, new StoreSettings(ticker, TIMEOUT));
  }

  @Override
  public Optional<String> url() {
    return Optional.of(url);
  }

  @Override
  public void restart() {
    restart.run();
  }

  @Override
  public String damage(String lock, String text) {
    String queue = new KeyPaths(PREFIX).queue(lock);
    String api = url.replaceFirst("^consul", "http").replaceFirst("[,?].*", "");
    try {
      HttpClient client = HttpClient.newHttpClient();
      URI read = URI.create(api + KeyPaths.path(queue) + "?recurse");
      String stored =
          client.send(HttpRequest.newBuilder(read).build(), BodyHandlers.ofString()).body();
      String key = Transaction.Result.keys(stored).get(0).key();
      URI write = URI.create(api + KeyPaths.path(key));
      HttpRequest put = HttpRequest.newBuilder(write).PUT(BodyPublishers.ofString(text)).build();
      String answer = client.send(put, BodyHandlers.ofString()).body();
      if (!answer.strip().equals("true")) {
        throw new IllegalStateException(key + " was not written: " + answer);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
    return "key " + queue;
  }

  @Override
  public void close() {
    ticker.close();
  }

  /** Started on first use. */
  private static final class ServerForAll {
    static final ConsulServer SERVER = ConsulServer.start(SETTINGS);
  }
}
