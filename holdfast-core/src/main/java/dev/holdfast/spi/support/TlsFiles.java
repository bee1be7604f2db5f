package dev.holdfast.spi.support;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/**
 * The files that a store URL names for TLS, all in PEM form and readable.
 *
 * @param ca the certificates to trust; null for those that Java trusts
 * @param cert the client's certificate; null for none
 * @param key its private key; null without a certificate
 * @param keyPassword of the key, a secret; null if it is not encrypted
 */
public record TlsFiles(
    @Nullable Path ca, @Nullable Path cert, @Nullable Path key, @Nullable String keyPassword) {

  /**
   * @return TLS by the JDK that trusts these certificates; null to trust those that Java trusts
   */
  public @Nullable SSLContext trusting() throws IOException, GeneralSecurityException {
    if (ca == null) {
      return null;
    }
    try (InputStream in = Files.newInputStream(ca)) {
      KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
      trusted.load(null, null);
      for (Certificate one : CertificateFactory.getInstance("X.509").generateCertificates(in)) {
        trusted.setCertificateEntry(Integer.toString(trusted.size()), one);
      }
      TrustManagerFactory trust =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      trust.init(trusted);
      SSLContext tls = SSLContext.getInstance("TLS");
      tls.init(null, trust.getTrustManagers(), null);
      return tls;
    }
  }

  /** Without the password. */
  @Override
  public String toString() {
    return "TlsFiles[" + ca + ", " + cert + ", " + key + "]";
  }
}
