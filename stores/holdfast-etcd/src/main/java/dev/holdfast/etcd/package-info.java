/**
 * Locks in etcd v3: {@link dev.holdfast.etcd.EtcdLockStore}, opened by {@code etcd://} URLs.
 *
 * <p>A claim is a key on a lease, its place in the queue is the key's create revision. Each verb is
 * one transaction, or a read and a transaction that takes effect only if what was read is
 * unchanged.
 */
@NullMarked
package dev.holdfast.etcd;

import org.jspecify.annotations.NullMarked;
