/** The words of the command line: what a subcommand takes, and how they are parsed. */
@NullMarked
package dev.holdfast.cli.arguments;

import org.jspecify.annotations.NullMarked;
