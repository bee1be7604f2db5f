package dev.holdfast.http;

import dev.holdfast.Lease;
import dev.holdfast.Proof;
import dev.holdfast.ProofKey;
import java.net.http.HttpRequest;

/**
 * The header that carries a proof: {@value #NAME}, once per request, with the proof's text form.
 *
 * <p>It is no secret and, unless it is signed, no authentication. A handler behind a guard finds it
 * checked, and reads it with {@link Proof#parse}.
 */
public final class ProofHeader {

  /** What the header is called. */
  public static final String NAME = "Holdfast-Proof";

  private ProofHeader() {}

  /** Sends the lease's proof along with the request, in place of any other. */
  public static HttpRequest.Builder set(HttpRequest.Builder request, Lease lease) {
    return set(request, lease.proof());
  }

  /** Sends the lease's proof, signed with this key, in place of any other. */
  public static HttpRequest.Builder set(HttpRequest.Builder request, Lease lease, ProofKey key) {
    return set(request, lease.proof().sign(key));
  }

  /** Sends a proof along with the request, in place of any other. */
  public static HttpRequest.Builder set(HttpRequest.Builder request, Proof proof) {
    return request.setHeader(NAME, proof.toString());
  }
}
