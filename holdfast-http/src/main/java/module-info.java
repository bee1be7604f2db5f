/** Proofs over HTTP. What a program does not use of it, it need not have. */
module dev.holdfast.http {
  requires static org.jspecify;
  requires transitive dev.holdfast.core;
  requires static transitive java.net.http;
  requires static transitive jdk.httpserver;
  requires static transitive jakarta.servlet;

  exports dev.holdfast.http;
}
