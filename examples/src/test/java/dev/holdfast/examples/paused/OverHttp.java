package dev.holdfast.examples.paused;

import dev.holdfast.LeaseLostException;
import dev.holdfast.Proof;
import dev.holdfast.http.ProofHeader;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;

/** The memory of a {@link dev.holdfast.examples.stories.Worker}, which answers over HTTP. */
record OverHttp(HttpClient http, String address) implements Guarded {

  OverHttp(String address) {
    this(HttpClient.newHttpClient(), address);
  }

  @Override
  public void enter(Proof proof) throws IOException, InterruptedException {
    send(proof, HttpRequest.newBuilder(uri(proof.lock())).GET());
  }

  @Override
  public String read(String lock) throws IOException, InterruptedException {
    HttpRequest look = HttpRequest.newBuilder(URI.create(address + "/look/" + lock)).build();
    return http.send(look, BodyHandlers.ofString()).body();
  }

  @Override
  public void write(Proof proof, String text) throws IOException, InterruptedException {
    send(proof, HttpRequest.newBuilder(uri(proof.lock())).PUT(BodyPublishers.ofString(text)));
  }

  private void send(Proof proof, HttpRequest.Builder request)
      throws IOException, InterruptedException {
    HttpResponse<String> answer =
        http.send(ProofHeader.set(request, proof).build(), BodyHandlers.ofString());
    switch (answer.statusCode()) {
      case 200 -> {}
      case 409, 412 -> throw new LeaseLostException(proof.lock(), proof.token(), answer.body());
      default -> throw new IOException(answer.statusCode() + ": " + answer.body());
    }
  }

  private URI uri(String lock) {
    return URI.create(address + "/guarded/" + lock);
  }
}
