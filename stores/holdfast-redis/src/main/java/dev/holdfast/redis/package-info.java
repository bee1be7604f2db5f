/**
 * Locks in Redis, Valkey or Tair; on one server, behind Sentinel, or in a Cluster.
 *
 * <p>A lock is one hash and, while claims wait, one sorted set, both in one hash slot. Each verb is
 * one Lua script ({@code script.Script}) on them, so each is one atomic step and one round trip.
 * All times come from the server's clock. Each client listens on a separate channel; the script
 * that grants a waiting claim publishes the lock's key there.
 *
 * <p>API are the types of this package and the store and provider in {@code redlock}; what the
 * other packages share is public Java only.
 */
@NullMarked
package dev.holdfast.redis;

import org.jspecify.annotations.NullMarked;
