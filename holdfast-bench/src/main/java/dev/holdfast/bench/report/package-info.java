/** What the figures say: ratios, bars, tables and charts. */
@NullMarked
package dev.holdfast.bench.report;

import org.jspecify.annotations.NullMarked;
