/**
 * The holdfast command line. Only {@link dev.holdfast.cli.Main} is meant to be started; nothing
 * here is an API for programs.
 *
 * <p>Arguments are parsed by hand and few classes are loaded: the command starts once per job, so
 * its start-up time is what people feel.
 */
@NullMarked
package dev.holdfast.cli;

import org.jspecify.annotations.NullMarked;
