/**
 * The Lua scripts, the keys and records that they work on, and their replies. Shared within this
 * module; not part of the API.
 */
@NullMarked
package dev.holdfast.redis.script;

import org.jspecify.annotations.NullMarked;
