/** The command line: how long it takes to start, beside the system's own. */
@NullMarked
package dev.holdfast.bench.cli;

import org.jspecify.annotations.NullMarked;
