/** What every store must promise, group by group. */
@NullMarked
package dev.holdfast.testkit.rules.store;

import org.jspecify.annotations.NullMarked;
