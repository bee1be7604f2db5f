/** What people and programs read afterwards. */
@NullMarked
package dev.holdfast.torture.report;

import org.jspecify.annotations.NullMarked;
