/** SQL databases: the floor, and the libraries that keep locks there. */
@NullMarked
package dev.holdfast.bench.sql;

import org.jspecify.annotations.NullMarked;
