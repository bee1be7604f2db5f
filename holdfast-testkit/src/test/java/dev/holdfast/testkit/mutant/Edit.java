package dev.holdfast.testkit.mutant;

/**
 * One change of the engine's source.
 *
 * @param file within the engine
 * @param before text that occurs once in the file
 * @param after what it becomes
 */
public record Edit(String file, String before, String after) {}
