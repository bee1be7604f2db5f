/** To test a store without an engine: its verbs, called one at a time, and the model beside it. */
@NullMarked
package dev.holdfast.testkit.store;

import org.jspecify.annotations.NullMarked;
