/**
 * Locks in Consul.
 *
 * <p>A claim is a key on a session; its place in the queue is the index that created it. One
 * transaction puts the key at the end and reads the queue ({@code JoinProtocol}). All claims of one
 * ttl share one session ({@code Sessions}); a session that lives does not prove a claim, so a
 * renewal reads the keys, too ({@code ConsulKeyCalls}).
 *
 * <p>Stores are opened by URL; only the provider is public API.
 */
@NullMarked
package dev.holdfast.consul;

import org.jspecify.annotations.NullMarked;
