/** Stores broken on purpose, one promise each: the kit must name it. */
@NullMarked
package dev.holdfast.testkit.broken;

import org.jspecify.annotations.NullMarked;
