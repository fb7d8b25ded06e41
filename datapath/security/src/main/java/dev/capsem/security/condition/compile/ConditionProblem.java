package dev.capsem.security.condition.compile;

/// What is wrong with a condition, and where.
///
/// @param offset in code points from the start of the condition
public record ConditionProblem(int offset, String message) {}
