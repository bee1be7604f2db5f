/** The resource that the locks protect, behind a fence. */
@NullMarked
package dev.holdfast.torture.ledger;

import org.jspecify.annotations.NullMarked;
