/** The locks in use as they change: a table at a terminal, lines elsewhere. */
@NullMarked
package dev.holdfast.cli.watch;

import org.jspecify.annotations.NullMarked;
