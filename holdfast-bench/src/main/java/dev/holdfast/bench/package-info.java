/** What Holdfast costs beside its peers and beside the least that could do, measured in turn. */
@NullMarked
package dev.holdfast.bench;

import org.jspecify.annotations.NullMarked;
