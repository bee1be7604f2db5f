/** The contenders: what a workload needs from a lock library, and Holdfast as one of them. */
@NullMarked
package dev.holdfast.bench.contender;

import org.jspecify.annotations.NullMarked;
