package dev.holdfast.guards;

/** Not how google-java-format would write it. */
final class Formatting
{
    private Formatting() {}
}
