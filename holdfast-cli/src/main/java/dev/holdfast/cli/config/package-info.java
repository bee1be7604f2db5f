/** What is read from options, the environment and files: the store, passwords, keys, handles. */
@NullMarked
package dev.holdfast.cli.config;

import org.jspecify.annotations.NullMarked;
