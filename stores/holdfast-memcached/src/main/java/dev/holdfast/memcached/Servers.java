package dev.holdfast.memcached;

import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Assigns keys to servers by rendezvous hashing: a key belongs to the server whose address gives
 * the greatest hash with it. All clients that name the same servers agree, whatever the order;
 * adding or removing a server moves only its own keys. A server that is down keeps its keys: using
 * another one would grant the lock to a second holder, with a smaller token.
 *
 * <p>Thread-safe.
 */
final class Servers {

  private final List<Server> servers;

  Servers(List<Server> servers) {
    this.servers = List.copyOf(servers);
  }

  List<Server> all() {
    return servers;
  }

  Server of(String key) {
    Server best = servers.get(0);
    if (servers.size() == 1) {
      return best;
    }
    long greatest = hash(best, key);
    for (Server server : servers) {
      long hash = hash(server, key);
      if (hash > greatest) {
        best = server;
        greatest = hash;
      }
    }
    return best;
  }

  // FNV-1a, then mixed, because FNV leaves the last characters in the low bits. Must never change:
  // clients of different versions would disagree.
  private static long hash(Server server, String key) {
    long hash = 0xcbf29ce484222325L;
    for (byte b : (server.address() + " " + key).getBytes(StandardCharsets.UTF_8)) {
      hash = (hash ^ b) * 0x100000001b3L;
    }
    hash = (hash ^ hash >>> 33) * 0xff51afd7ed558ccdL;
    return hash ^ hash >>> 33;
  }
}
