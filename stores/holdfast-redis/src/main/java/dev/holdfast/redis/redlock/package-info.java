/**
 * Locks on a quorum of independent Redis servers: Redlock, with fencing tokens.
 *
 * <p>A join has two phases ({@code JoinProtocol}, {@code Quorum.reserve}); what the nodes answer is
 * counted by a {@code Ballot}. API are only the store and its provider.
 */
@NullMarked
package dev.holdfast.redis.redlock;

import org.jspecify.annotations.NullMarked;
