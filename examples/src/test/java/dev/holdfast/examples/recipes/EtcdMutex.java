package dev.holdfast.examples.recipes;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/** One key per session under a prefix; the lowest create revision has the lock. On etcd's v3. */
final class EtcdMutex {

  private final EtcdHttp etcd;
  private final String prefix;
  private final long session;
  private long revision;

  EtcdMutex(EtcdHttp etcd, String name, int ttl) throws IOException, InterruptedException {
    this.etcd = etcd;
    this.prefix = name + "/";
    this.session = EtcdHttp.number(etcd.v3("lease/grant", "{\"TTL\":" + ttl + "}"), "ID");
  }

  // sample: mutex
  boolean tryLock() throws IOException, InterruptedException {
    String mine = key();
    String first =
        """
        {"request_range": {"key": "%s", "range_end": "%s", "limit": 1,
          "sort_target": "CREATE", "sort_order": "ASCEND"}}"""
            .formatted(base64(prefix), base64(end()));
    String answer =
        etcd.v3(
            "kv/txn",
            """
            {"compare": [{"key": "%1$s", "target": "CREATE", "create_revision": 0}],
             "success": [%3$s, {"request_put": {"key": "%1$s", "lease": %2$d}}],
             "failure": [%3$s, {"request_range": {"key": "%1$s"}}]}"""
                .formatted(mine, session, first));
    revision = EtcdHttp.number(answer, "revision");
    long owner = EtcdHttp.number(answer, "create_revision"); // 0: there was no owner before us
    return owner == 0 || base64Key(answer).equals(mine);
  }

  /** The key to watch: the youngest of those that were there before our own. */
  String waitsFor() throws IOException, InterruptedException {
    String youngest =
        """
        {"key": "%s", "range_end": "%s", "max_create_revision": %d, "limit": 1,
          "sort_target": "CREATE", "sort_order": "DESCEND"}"""
            .formatted(base64(prefix), base64(end()), revision - 1);
    return base64Key(etcd.v3("kv/range", youngest));
  }

  void unlock() throws IOException, InterruptedException {
    etcd.v3("kv/deleterange", "{\"key\": \"" + key() + "\"}");
  }

  // end

  String key() {
    return base64(prefix + Long.toHexString(session));
  }

  /** What the process does when it ends, or etcd when the keep-alives stop. */
  void sessionEnds() throws IOException, InterruptedException {
    etcd.v3("kv/lease/revoke", "{\"ID\": " + session + "}");
  }

  long revision() {
    return revision;
  }

  /** The first key that does not begin with the prefix: '0' comes after '/'. */
  private String end() {
    return prefix.substring(0, prefix.length() - 1) + "0";
  }

  private static String base64Key(String answer) {
    return answer.replaceFirst("(?s).*?\"key\":\"([^\"]*)\".*", "$1");
  }

  private static String base64(String text) {
    return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
  }
}
