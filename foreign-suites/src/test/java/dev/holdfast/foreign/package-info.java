/**
 * Published tests of other lock libraries, run over Holdfast: adapters give it the shape that each
 * suite expects.
 */
@NullMarked
package dev.holdfast.foreign;

import org.jspecify.annotations.NullMarked;
