/** A worker process: uses every construct, and records what it believes. */
@NullMarked
package dev.holdfast.torture.worker;

import org.jspecify.annotations.NullMarked;
