package dev.holdfast.etcd;

import dev.holdfast.Diagnosis;
import dev.holdfast.Finding;
import io.etcd.jetcd.api.StatusResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Whether locks are safe in this etcd. */
final class Diagnoses {

  private static final Pattern VERSION = Pattern.compile("(\\d+)\\.(\\d+)\\.(\\d+).*");

  private Diagnoses() {}

  static CompletableFuture<Diagnosis> of(Calls calls, int members) {
    return calls
        .status(calls.deadline())
        .thenApply(status -> new Diagnosis(null, findings(status, members)));
  }

  static List<Finding> findings(StatusResponse status, int members) {
    List<Finding> findings = new ArrayList<>();
    findings.add(version(status.getVersion()));
    findings.add(
        status.getLeader() == 0
            ? Finding.danger("the member that answers knows no leader: nothing can be locked")
            : Finding.ok("there is a leader"));
    findings.add(
        members == 1
            ? Finding.warning(
                "the URL names one member: if it fails nothing is answered; name all of them")
            : Finding.ok("the URL names " + members + " members"));
    return findings;
  }

  private static Finding version(String version) {
    Matcher matcher = VERSION.matcher(version);
    if (!matcher.matches()) {
      return Finding.warning("etcd has the version '" + version + "', which says nothing");
    }
    int minor = Integer.parseInt(matcher.group(2));
    int patch = Integer.parseInt(matcher.group(3));
    if (matcher.group(1).equals("3") && (minor < 4 || isStale(minor, patch))) {
      return Finding.warning(
          "etcd "
              + version
              + ": a leader that stalled and was replaced may renew leases, or end them, as if it"
              + " still led (etcd issue 15247); use 3.4.31, 3.5.13 or later, and a fence");
    }
    return Finding.ok("etcd " + version);
  }

  private static boolean isStale(int minor, int patch) {
    return (minor == 4 && patch < 31) || (minor == 5 && patch < 13);
  }
}
