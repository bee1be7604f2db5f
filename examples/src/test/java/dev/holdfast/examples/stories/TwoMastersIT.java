package dev.holdfast.examples.stories;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testkit.JavaProcess;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TwoMastersIT {

  @TempDir Path folder;

  @Test
  void a_master_that_slept_through_its_ttl_is_refused_by_the_worker() throws Exception {
    String store = "sqlite:" + folder.resolve("locks.db");
    try (Worker worker = Worker.start(store);
        JavaProcess first = master(store, worker)) {
      first.await("master");
      first.say("first order");
      first.say("go");
      assertThat(first.await("answer")).isEqualTo("answer: 200");

      first.say("second order");
      assertThat(first.await("valid")).isEqualTo("valid: true");
      first.pause(); // after its look at the lease, before it has sent the order
      try (JavaProcess second = master(store, worker)) {
        second.await("master");
        first.say("go");
        first.resume();
        assertThat(first.await("answer")).as("no newer master has written yet").endsWith("409");
        second.say("third order");
        second.say("go");
        assertThat(second.await("answer")).isEqualTo("answer: 200");
      }
      assertThat(order(worker)).isEqualTo("third order");
    }
  }

  private static JavaProcess master(String store, Worker worker) {
    return JavaProcess.start(
        Master.class, Map.of(Master.STORE, store, Master.WORKER, worker.address()), "8000");
  }

  private static String order(Worker worker) throws Exception {
    HttpRequest look =
        HttpRequest.newBuilder(URI.create(worker.address() + "/look/master")).build();
    return HttpClient.newHttpClient().send(look, BodyHandlers.ofString()).body();
  }
}
