package dev.holdfast.memcached;

import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Which server has a key: the one whose address and the key together give the greatest hash. So all
 * clients that name the same servers, in any order, agree; and adding or removing one moves only
 * the keys that it gets or had. A server that is down keeps its keys: asking another would let in a
 * second holder, with a smaller token.
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

  // FNV-1a, then mixed: it alone leaves the last characters in the low bits. Never to be changed.
  private static long hash(Server server, String key) {
    long hash = 0xcbf29ce484222325L;
    for (byte b : (server.address() + " " + key).getBytes(StandardCharsets.UTF_8)) {
      hash = (hash ^ b) * 0x100000001b3L;
    }
    hash = (hash ^ hash >>> 33) * 0xff51afd7ed558ccdL;
    return hash ^ hash >>> 33;
  }
}
