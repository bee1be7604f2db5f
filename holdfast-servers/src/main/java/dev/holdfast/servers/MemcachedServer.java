package dev.holdfast.servers;

import dev.holdfast.servers.client.PlainClient;
import dev.holdfast.servers.process.Recipe;
import dev.holdfast.servers.process.ServerProcess;
import dev.holdfast.servers.program.Commands;
import dev.holdfast.servers.program.Programs;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A Memcached server. It keeps nothing: killed, it comes back empty. */
public final class MemcachedServer extends ServerNode {

  private final String url;

  private MemcachedServer(ServerProcess process) {
    super(process);
    this.url = "memcached://127.0.0.1:" + process.port();
  }

  private MemcachedServer(String url) {
    super(null);
    this.url = url;
  }

  /** The server that the tests of this JVM share. */
  public static MemcachedServer shared() {
    return Shared.SERVER;
  }

  /** A server of one's own, with options as on the command line. */
  public static MemcachedServer start(String... options) {
    return new MemcachedServer(ServerProcess.start(new Memcached(List.of(options))));
  }

  /** {@code memcached://host:port}. */
  public String url() {
    return url;
  }

  /** Sends one command of the text protocol to a server that we started. */
  public String command(String line) throws IOException {
    return PlainClient.ask(port(), line + "\r\n").strip();
  }

  /** Initialised once for all that tests share. */
  private static final class Shared {
    static final MemcachedServer SERVER =
        Server.MEMCACHED.url().map(MemcachedServer::new).orElseGet(MemcachedServer::start);
  }

  /** How Memcached is started. */
  private record Memcached(List<String> options) implements Recipe {

    @Override
    public String name() {
      return "memcached";
    }

    @Override
    public List<String> command(Path data, int port) {
      List<String> command = new ArrayList<>();
      command.add(Programs.get("memcached").toString());
      command.addAll(List.of("-l", "127.0.0.1", "-p", Integer.toString(port), "-U", "0"));
      if (Commands.isRoot()) {
        command.addAll(List.of("-u", "root"));
      }
      command.addAll(options);
      return command;
    }

    @Override
    public void ask(int port) throws IOException {
      if (options.contains("-Z")) {
        PlainClient.reach(port); // it speaks TLS
        return;
      }
      String answer = PlainClient.ask(port, "version\r\n");
      // It asks for a password: so it is there.
      if (!answer.startsWith("VERSION") && !answer.startsWith("CLIENT_ERROR unauthenticated")) {
        throw new IOException("it answers " + answer.strip());
      }
    }
  }
}
