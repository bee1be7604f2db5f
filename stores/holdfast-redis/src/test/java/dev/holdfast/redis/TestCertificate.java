package dev.holdfast.redis;

import dev.holdfast.servers.RedisServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A key for 127.0.0.1 and a certificate that it has signed itself.
 *
 * @param cert in PEM form
 * @param key in PEM form, not encrypted
 */
public record TestCertificate(Path cert, Path key) {

  public static TestCertificate make(Path directory, String name) throws Exception {
    Path store = directory.resolve(name + ".p12");
    String password = UUID.randomUUID().toString();
    ProcessBuilder keytool =
        new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
            "-genkeypair",
            "-alias",
            name,
            "-dname",
            "CN=" + name,
            "-keyalg",
            "EC",
            "-ext",
            "san=ip:127.0.0.1",
            "-validity",
            "2",
            "-storetype",
            "PKCS12",
            "-keystore",
            store.toString(),
            "-storepass:env",
            "STORE_PASSWORD");
    keytool.environment().put("STORE_PASSWORD", password);
    keytool.redirectErrorStream(true).redirectOutput(directory.resolve(name + ".log").toFile());
    if (keytool.start().waitFor() != 0) {
      throw new IOException(Files.readString(directory.resolve(name + ".log")));
    }
    return read(store, password.toCharArray(), name);
  }

  private static TestCertificate read(Path file, char[] password, String name)
      throws IOException, GeneralSecurityException {
    KeyStore store = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(file)) {
      store.load(in, password);
    }
    Path directory = file.getParent();
    return new TestCertificate(
        write(directory, name + ".crt", "CERTIFICATE", store.getCertificate(name).getEncoded()),
        write(directory, name + ".key", "PRIVATE KEY", store.getKey(name, password).getEncoded()));
  }

  private static Path write(Path directory, String name, String type, byte[] der)
      throws IOException {
    String body =
        Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII)).encodeToString(der);
    return Files.writeString(
        directory.resolve(name),
        "-----BEGIN " + type + "-----\n" + body + "\n-----END " + type + "-----\n");
  }

  /** Makes the server listen for TLS, too, on a port that is free. */
  public static int listen(RedisServer server) {
    for (int attempt = 0; ; attempt++) {
      int free = ThreadLocalRandom.current().nextInt(12_000, 30_000);
      try {
        server.command("CONFIG", "SET", "tls-port", Integer.toString(free));
        return free;
      } catch (UncheckedIOException taken) {
        if (attempt > 100) {
          throw taken;
        }
      }
    }
  }
}
