/**
 * Lettuce: store URLs, connections, commands with a deadline, and what a server reports about
 * itself. Shared within this module; not part of the API.
 */
@NullMarked
package dev.holdfast.redis.client;

import org.jspecify.annotations.NullMarked;
