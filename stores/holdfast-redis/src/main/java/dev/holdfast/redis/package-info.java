/**
 * Locks in Redis, Valkey or Tair; on one server, behind Sentinel, or in a Cluster.
 *
 * <p>A lock is one hash and, while somebody waits, one sorted set, both in one hash slot. Each verb
 * is one Lua script ({@code Script}) on them, so each is one atomic step and one round trip. All
 * times come from the server's clock. A client listens on one channel of its own, to which the
 * script that lets its claim in publishes the lock's key.
 */
@NullMarked
package dev.holdfast.redis;

import org.jspecify.annotations.NullMarked;
