package dev.holdfast.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Finding;
import dev.holdfast.Finding.Severity;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StoreDiagnosisTest {

  @Test
  void a_quorum_with_all_its_servers_is_well() {
    assertThat(servers(report("3.9.5", "leader"), report("3.9.5", "follower")))
        .allMatch(finding -> finding.severity() == Severity.OK)
        .hasSize(2);
  }

  @Test
  void a_server_that_does_not_answer_is_named() {
    assertThat(servers(report("3.9.5", "leader"), report("3.9.5", "follower"), ""))
        .contains(Finding.warning("h3 does not answer: one more failure may end the quorum"));
  }

  @Test
  void a_server_without_a_quorum_is_named() {
    String lost = "This ZooKeeper instance is not currently serving requests\n";
    assertThat(servers(report("3.9.5", "leader"), lost))
        .anyMatch(finding -> finding.message().startsWith("h2 is up, but does not serve requests"));
  }

  @Test
  void a_server_that_does_not_allow_srvr_is_no_problem() {
    String silent = "srvr is not executed because it is not in the whitelist.";
    assertThat(servers(report("3.9.5", "leader"), report("3.9.5", "follower"), silent))
        .allMatch(finding -> finding.severity() == Severity.OK);
  }

  @Test
  void a_single_server_is_a_risk() {
    assertThat(servers(report("3.9.5", "standalone")))
        .contains(Finding.warning("a single server: no lock can be acquired while it is down"));
  }

  @ParameterizedTest
  @CsvSource({"3.4.14, DANGER", "3.5.10, DANGER", "3.6.3, WARNING", "3.8.4, OK", "3.10.0, OK"})
  void old_versions_are_named(String version, Severity expected) {
    ServerReport report = ServerReport.parse("h1", report(version, "leader"));

    assertThat(StoreDiagnosis.version(report))
        .matches(finding -> finding.severity() == expected)
        .matches(finding -> finding.message().contains(version));
  }

  private static List<Finding> servers(String... answers) {
    List<ServerReport> reports = new ArrayList<>();
    for (String answer : answers) {
      reports.add(ServerReport.parse("h" + (reports.size() + 1), answer));
    }
    return StoreDiagnosis.servers(reports);
  }

  private static String report(String version, String mode) {
    return "Zookeeper version: "
        + version
        + "-abc, built on some day\nLatency min/avg/max: 0/0.5/12\nReceived: 7\nMode: "
        + mode
        + "\nNode count: 5\n";
  }
}
