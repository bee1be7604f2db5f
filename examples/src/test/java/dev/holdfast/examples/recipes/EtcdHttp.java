package dev.holdfast.examples.recipes;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What curl would do: etcd's v2 keys, and its v3 gateway. */
record EtcdHttp(HttpClient http, String endpoint) {

  EtcdHttp(String endpoint) {
    this(HttpClient.newHttpClient(), endpoint);
  }

  /** {@code method /v2/keys/KEY?form}. */
  HttpResponse<String> v2(String method, String key, String form)
      throws IOException, InterruptedException {
    URI uri = URI.create(endpoint + "/v2/keys/" + key + "?" + form);
    return send(HttpRequest.newBuilder(uri).method(method, BodyPublishers.noBody()));
  }

  /** A put that took effect. */
  boolean isPut(String key, String form) throws IOException, InterruptedException {
    return v2("PUT", key, form).statusCode() < 300;
  }

  /** {@code POST /v3/CALL}. */
  String v3(String call, String json) throws IOException, InterruptedException {
    URI uri = URI.create(endpoint + "/v3/" + call);
    HttpResponse<String> answer =
        send(HttpRequest.newBuilder(uri).POST(BodyPublishers.ofString(json)));
    if (answer.statusCode() != 200) {
      throw new IOException(call + ": " + answer.body());
    }
    return answer.body();
  }

  /** The first number of this name in an answer, or 0. */
  static long number(String json, String name) {
    Matcher field = Pattern.compile("\"" + name + "\":\"?(\\d+)").matcher(json);
    return field.find() ? Long.parseLong(field.group(1)) : 0;
  }

  private HttpResponse<String> send(HttpRequest.Builder request)
      throws IOException, InterruptedException {
    return http.send(request.build(), BodyHandlers.ofString());
  }
}
