/**
 * Locks in ZooKeeper.
 *
 * <p>A lock is a container node; a claim is an ephemeral sequential node in it, whose name says all
 * that admission needs ({@code ClaimNode}), so one listing of the children decides ({@code
 * NodeQueue}). A client has one session ({@code Session}); its claims end with it. A session that
 * lives does not prove a claim: a claim is renewed when a write of the session was committed and no
 * deletion of its node was reported before the answer to that write ({@code Renewal}).
 */
@NullMarked
package dev.holdfast.zookeeper;

import org.jspecify.annotations.NullMarked;
