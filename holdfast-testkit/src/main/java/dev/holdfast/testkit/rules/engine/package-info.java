/** What every store must make possible for the engine on top of it, group by group. */
@NullMarked
package dev.holdfast.testkit.rules.engine;

import org.jspecify.annotations.NullMarked;
