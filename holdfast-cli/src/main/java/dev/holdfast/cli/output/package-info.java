/** What is printed: results as text and JSON, messages, exit codes. */
@NullMarked
package dev.holdfast.cli.output;

import org.jspecify.annotations.NullMarked;
