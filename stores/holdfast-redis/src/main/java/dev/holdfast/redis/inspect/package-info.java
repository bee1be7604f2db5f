/**
 * What people ask about locks and servers: listing and diagnosis. Shared within this module; not
 * part of the API.
 */
@NullMarked
package dev.holdfast.redis.inspect;

import org.jspecify.annotations.NullMarked;
