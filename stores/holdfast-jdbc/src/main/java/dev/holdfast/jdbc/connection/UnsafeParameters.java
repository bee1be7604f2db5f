package dev.holdfast.jdbc.connection;

import dev.holdfast.spi.support.StoreUrl;
import java.util.Set;

/**
 * Parameters of drivers that run statements or other code, load classes, read or write files of
 * this host, or log what was sent. A store URL comes from a configuration, and must not be able to
 * do more than to name a database. A caller that needs one of them makes the {@code DataSource}
 * itself.
 *
 * <p>Files for TLS pass, and so do settings of the session: they run nothing.
 */
public final class UnsafeParameters {

  /** In lower case, of H2, PostgreSQL, MySQL, MariaDB and SQLite: none has another meaning. */
  private static final Set<String> NAMES =
      words(
          """
          init database_event_listener java_object_serializer authenticator
          builtin_alias_override
          socketfactory socketfactoryarg sslfactoryarg sslhostnameverifier
          sslpasswordcallback authenticationpluginclassname classloaderstrategy
          connectexecutor connectexecutorarg xmlfactoryfactory loggerfile loggerlevel
          service jaasapplicationname
          allowloadlocalinfile allowloadlocalinfileinpath allowurlinlocalinfile
          authenticationplugins authenticationfidocallbackhandler
          authenticationwebauthncallbackhandler authenticationopenidconnectcallbackhandler
          autodeserialize autogeneratetestcasescript clientinfoprovider
          connectionlifecycleinterceptors defaultauthenticationplugin enablepacketdebug
          exceptioninterceptors ha.loadbalancestrategy keymanagerfactoryprovider
          keystoreprovider loadbalanceexceptionchecker loadbalancestrategy logger
          parseinfocachefactory profilereventhandler propertiestransform
          queryinfocachefactory queryinterceptors serverconfigcachefactory
          sslcontextprovider statementinterceptors traceprotocol
          trustmanagerfactoryprovider useconfigs
          allowlocalinfile credentialtype initsql tlssockettype
          enable_load_extension
          """);

  // The driver's own: one uses the certificates that Java trusts, the other is the default.
  private static final Set<String> SSL_FACTORIES =
      Set.of("org.postgresql.ssl.DefaultJavaSSLFactory", "org.postgresql.ssl.LibPQFactory");

  private UnsafeParameters() {}

  /**
   * Refuses a URL with one of them.
   *
   * @throws IllegalArgumentException naming it
   */
  public static void check(String url) {
    for (String name : StoreUrl.parameterNames(url)) {
      if (NAMES.contains(name) || name.equals("sslfactory") && !isOwnSslFactory(url)) {
        throw StoreUrl.malformed(
            url,
            "the parameter '"
                + name
                + "' could run code or reach files of this host, which a store URL must not do;"
                + " leave it out, or pass your own DataSource");
      }
    }
  }

  private static boolean isOwnSslFactory(String url) {
    return SSL_FACTORIES.stream()
        .anyMatch(factory -> url.matches("(?s).*[?&]sslfactory=" + factory + "(?:&.*)?"));
  }

  private static Set<String> words(String text) {
    return Set.of(text.strip().split("\\s+"));
  }
}
