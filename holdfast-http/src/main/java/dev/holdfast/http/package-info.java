/**
 * Proofs over HTTP: {@link dev.holdfast.http.ProofHeader} on the way out, {@link
 * dev.holdfast.http.HttpServerGuard} or {@link dev.holdfast.http.ServletGuard} where requests come
 * in.
 */
@NullMarked
package dev.holdfast.http;

import org.jspecify.annotations.NullMarked;
