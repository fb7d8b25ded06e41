package dev.capsem.security.condition.compile;

/// A problem of a condition, and its place.
///
/// @param offset in code points from the start of the condition
public record ConditionProblem(int offset, String message) {}
