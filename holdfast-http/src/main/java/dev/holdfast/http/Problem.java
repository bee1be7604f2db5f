package dev.holdfast.http;

import dev.holdfast.LeaseLostException;
import dev.holdfast.LockException;
import dev.holdfast.PrintableText;
import dev.holdfast.StaleTokenException;
import dev.holdfast.UntrustedProofException;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Why a request is refused, as RFC 9457 writes it. Tokens are text: a JSON number may be read as a
 * double, which cannot hold them.
 *
 * @param status the HTTP status
 * @param type what kind of problem, for programs
 * @param title what kind of problem, for people
 * @param detail what happened this time
 * @param about the lock and the tokens
 */
record Problem(int status, String type, String title, String detail, Map<String, String> about) {

  static final String MEDIA_TYPE = "application/problem+json";

  private static final System.Logger LOG = System.getLogger(Problem.class.getName());

  static Problem missing(String lock) {
    String detail =
        "Send the proof of a lease on "
            + PrintableText.quote(lock)
            + " in the header "
            + ProofHeader.NAME;
    return of(428, "no-proof", "A proof is required", detail, lock);
  }

  static Problem malformed(String lock, String what) {
    return of(400, "malformed-proof", "The proof cannot be read", what, lock);
  }

  static Problem otherLock(String lock, String given) {
    String detail =
        "This resource is protected by "
            + PrintableText.quote(lock)
            + "; the proof is of "
            + PrintableText.quote(given);
    return of(409, "other-lock", "The proof is of another lock", detail, lock);
  }

  /** What a guard or a handler behind it found. */
  static Problem of(LockException found) {
    String detail = String.valueOf(found.getMessage());
    String lock = found.lockName();
    if (found instanceof StaleTokenException stale) {
      Problem problem = of(412, "stale-token", "A later holder has been here", detail, lock);
      problem.about.put("token", Long.toString(stale.token()));
      problem.about.put("current", Long.toString(stale.current()));
      return problem;
    }
    if (found instanceof UntrustedProofException) {
      return of(403, "untrusted-proof", "The proof is not signed as it must be", detail, lock);
    }
    if (found instanceof LeaseLostException lost) {
      Problem problem =
          of(409, "not-the-holder", "The sender does not hold the lock", detail, lock);
      problem.about.put("token", Long.toString(lost.token()));
      return problem;
    }
    // Not the message: it names the store, and what its driver reports. That is for our own log.
    LOG.log(Level.DEBUG, "A request could not be checked", found);
    String later = "Nothing was done for this request; send it again later";
    return of(503, "unknown", "The sender could not be checked", later, lock);
  }

  private static Problem of(int status, String type, String title, String detail, String lock) {
    Map<String, String> about = new LinkedHashMap<>();
    about.put("lock", lock);
    return new Problem(status, "urn:holdfast:" + type, title, detail, about);
  }

  byte[] json() {
    Map<String, String> fields = new LinkedHashMap<>();
    fields.put("type", PrintableText.json(type));
    fields.put("title", PrintableText.json(title));
    fields.put("status", Integer.toString(status));
    fields.put("detail", PrintableText.json(detail));
    about.forEach((name, value) -> fields.put(name, PrintableText.json(value)));
    return fields.entrySet().stream()
        .map(field -> PrintableText.json(field.getKey()) + ": " + field.getValue())
        .collect(Collectors.joining(", ", "{", "}"))
        .getBytes(StandardCharsets.UTF_8);
  }
}
