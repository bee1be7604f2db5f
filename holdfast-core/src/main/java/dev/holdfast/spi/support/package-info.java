/**
 * What stores and the modules around them share beyond the SPI: the grammar of store URLs, the care
 * for the secrets in them, and text that others wrote.
 */
@NullMarked
package dev.holdfast.spi.support;

import org.jspecify.annotations.NullMarked;
