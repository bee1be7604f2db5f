/**
 * The base of stores whose claims are keys on leases, as those of etcd and Consul are.
 *
 * <p>A claim is a separate key, its place in the queue is the revision that created the key. All
 * claims of a client with the same ttl share one lease (in Consul: a session), which one request
 * renews. So a live lease does not prove a claim, and the lease ends no single claim: {@link
 * dev.holdfast.leased.ClaimRegistry} knows which claims are still wanted.
 *
 * <p>A store extends {@link dev.holdfast.leased.LeasedLockStore}, implements the primitives {@link
 * dev.holdfast.leased.LeaseCalls}, {@link dev.holdfast.leased.KeyCalls} and {@link
 * dev.holdfast.leased.KeyWatches}, and brings its own way to join and to leave.
 */
@NullMarked
package dev.holdfast.leased;

import org.jspecify.annotations.NullMarked;
