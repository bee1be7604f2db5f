/**
 * The holdfast command line. Only {@link dev.holdfast.cli.Main} is meant to be started; nothing
 * here is an API for programs.
 *
 * <p>A command's class, its help and the store it uses are loaded only when they are needed: the
 * command starts once per job, so its start-up time is what people feel.
 */
@NullMarked
package dev.holdfast.cli;

import org.jspecify.annotations.NullMarked;
