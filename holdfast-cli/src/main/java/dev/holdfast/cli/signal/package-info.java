/** Signals of the operating system. */
@NullMarked
package dev.holdfast.cli.signal;

import org.jspecify.annotations.NullMarked;
