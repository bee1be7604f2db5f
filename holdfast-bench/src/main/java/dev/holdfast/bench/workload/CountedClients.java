package dev.holdfast.bench.workload;

import dev.holdfast.bench.contender.Client;
import dev.holdfast.bench.contender.Contender;
import dev.holdfast.bench.contender.Mutex;
import dev.holdfast.bench.store.CountingProxy;
import java.util.ArrayList;
import java.util.List;

/** Some clients of one contender whose requests are counted on their way to the server. */
final class CountedClients implements AutoCloseable {

  private final CountingProxy proxy;
  private final List<Client> clients = new ArrayList<>();

  CountedClients(TestBed ground, Contender contender, int count) throws Exception {
    proxy = new CountingProxy(ground.store().framing(), ground.site().port());
    for (int i = 0; i < count; i++) {
      clients.add(contender.open(ground.site().url(proxy.port())));
    }
  }

  /** The lock of this name, for this many threads, spread evenly over the clients. */
  List<Mutex> mutexes(String name, int count) {
    List<Mutex> mutexes = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      mutexes.add(clients.get(i % clients.size()).mutex(name));
    }
    return mutexes;
  }

  Client first() {
    return clients.get(0);
  }

  long requests() {
    return proxy.requests();
  }

  @Override
  public void close() throws Exception {
    for (Client client : clients) {
      client.close();
    }
    proxy.close();
  }
}
