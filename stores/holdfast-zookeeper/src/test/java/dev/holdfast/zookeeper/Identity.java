package dev.holdfast.zookeeper;

import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Base64;
import java.util.List;
import java.util.UUID;

/**
 * A key for 127.0.0.1 and a certificate that it has signed itself, as PEM files.
 *
 * @param certificate the certificate alone
 * @param both certificate and key, as ZooKeeper wants them
 */
record Identity(Path certificate, Path both) {

  static Identity make(Path folder, String name) throws Exception {
    Path store = folder.resolve(name + ".p12");
    String password = UUID.randomUUID().toString();
    List<String> command =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
            "-genkeypair",
            "-alias",
            name,
            "-dname",
            "CN=127.0.0.1",
            "-keyalg",
            "RSA",
            "-ext",
            "san=ip:127.0.0.1,dns:localhost",
            "-validity",
            "2",
            "-storetype",
            "PKCS12",
            "-keystore",
            store.toString(),
            "-storepass:env",
            "STORE_PASSWORD");
    ProcessBuilder keytool = new ProcessBuilder(command);
    keytool.environment().put("STORE_PASSWORD", password);
    if (keytool.inheritIO().start().waitFor() != 0) {
      throw new IllegalStateException("keytool has made no key");
    }
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(store)) {
      keys.load(in, password.toCharArray());
    }
    String certificate = pem("CERTIFICATE", keys.getCertificate(name).getEncoded());
    String key = pem("PRIVATE KEY", keys.getKey(name, password.toCharArray()).getEncoded());
    return new Identity(
        Files.writeString(folder.resolve(name + ".pem"), certificate),
        Files.writeString(folder.resolve(name + "-both.pem"), certificate + key));
  }

  private static String pem(String type, byte[] der) {
    String body = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der);
    return "-----BEGIN " + type + "-----\n" + body + "\n-----END " + type + "-----\n";
  }
}
