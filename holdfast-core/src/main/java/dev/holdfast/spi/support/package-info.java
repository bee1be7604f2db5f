/**
 * What stores and the modules around them share beyond the SPI: the grammar of store URLs, hiding
 * the secrets in them, printing text from other clients, and the building blocks of a store's
 * requests: limits, sharing, chunks, answers per claim, failures.
 */
@NullMarked
package dev.holdfast.spi.support;

import org.jspecify.annotations.NullMarked;
