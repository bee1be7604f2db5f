/** Locks among the threads and clients of one JVM; also the reference of the model. */
@NullMarked
package dev.holdfast.memory;

import org.jspecify.annotations.NullMarked;
