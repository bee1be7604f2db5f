/**
 * Locks in Consul: a key on a session for each claim, in the order of their create indexes.
 *
 * <p>Only the provider is for others; stores are opened by URL.
 */
@NullMarked
package dev.holdfast.consul;

import org.jspecify.annotations.NullMarked;
