package dev.holdfast.bench.store;

/**
 * A running server.
 *
 * @param url where clients find it, with user and password if it has any
 * @param port the port in that URL
 * @param version what it says it is
 * @param server closed in the end
 */
public record RunningServer(String url, int port, String version, AutoCloseable server)
    implements AutoCloseable {

  /** The URL of something that stands in front of the server at this port. */
  public String url(int inFront) {
    return url.replace(":" + port, ":" + inFront);
  }

  @Override
  public void close() throws Exception {
    server.close();
  }

  /** Never shows the URL, which may have a password. */
  @Override
  public String toString() {
    return version;
  }
}
