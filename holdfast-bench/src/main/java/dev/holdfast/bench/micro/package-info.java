/** The engine alone, by JMH. */
@NullMarked
package dev.holdfast.bench.micro;

import org.jspecify.annotations.NullMarked;
