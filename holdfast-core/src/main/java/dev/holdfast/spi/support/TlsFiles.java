package dev.holdfast.spi.support;

import java.nio.file.Path;
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

  /** Without the password. */
  @Override
  public String toString() {
    return "TlsFiles[" + ca + ", " + cert + ", " + key + "]";
  }
}
