package dev.holdfast;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ClaimInfoTest {

  private static final Set<String> ENOUGH =
      Set.of("EXCLUSIVE EXCLUSIVE", "EXCLUSIVE SHARED", "SHARED SHARED", "PERMIT PERMIT");

  /** All modes, clients, and tokens around both ends of all ranges. */
  @Test
  void a_proof_counts_if_client_mode_and_token_agree_with_the_claim_and_never_otherwise() {
    int backed = 0;
    int tried = 0;
    for (Mode held : Mode.values()) {
      for (Mode wanted : Mode.values()) {
        for (String client : new String[] {"ours", "theirs", "OURS", ""}) {
          for (long first = 0; first <= 4; first++) {
            for (long last = first; last <= 6; last++) {
              for (long token = 1; token <= 8; token++) {
                ClaimInfo claim = claim(held, first, last);
                Proof proof = new Proof("x", token, wanted, owner(client));
                boolean expected =
                    client.equals("ours")
                        && ENOUGH.contains(held + " " + wanted)
                        && first > 0
                        && first <= token
                        && token <= last;
                assertThat(claim.backs(proof)).as("%s %s", claim, proof).isEqualTo(expected);
                backed += expected ? 1 : 0;
                tried++;
              }
            }
          }
        }
      }
    }
    assertThat(tried).isGreaterThan(7_000);
    assertThat(backed).isEqualTo(4 * (21 + 15 + 10 + 6));
  }

  @Test
  void the_rest_of_the_owner_does_not_matter_because_it_proves_nothing() {
    Owner elsewhere = new Owner("another", 7, "worker", "ours", "label");
    assertThat(claim(Mode.EXCLUSIVE, 3, 3).backs(new Proof("x", 3, Mode.EXCLUSIVE, elsewhere)))
        .isTrue();
  }

  private static ClaimInfo claim(Mode mode, long token, long lastToken) {
    return new ClaimInfo(
        owner("ours"), mode, 1, token, lastToken, Duration.ZERO, Duration.ZERO, null);
  }

  private static Owner owner(String client) {
    return new Owner("h", 1, "t", client, "");
  }
}
