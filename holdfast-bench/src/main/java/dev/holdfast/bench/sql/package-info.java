/** SQL databases: the floor, and those who keep locks there. */
@NullMarked
package dev.holdfast.bench.sql;

import org.jspecify.annotations.NullMarked;
