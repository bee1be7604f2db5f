/**
 * How scripts are run on locks, and how waiting claims learn that their turn may have come. Shared
 * within this module; not part of the API.
 */
@NullMarked
package dev.holdfast.redis.protocol;

import org.jspecify.annotations.NullMarked;
