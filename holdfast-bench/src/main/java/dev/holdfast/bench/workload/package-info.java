/** What is measured. */
@NullMarked
package dev.holdfast.bench.workload;

import org.jspecify.annotations.NullMarked;
