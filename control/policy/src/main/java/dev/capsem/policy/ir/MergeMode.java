package dev.capsem.policy.ir;

/// What becomes of a root beneath another root.
public enum MergeMode {
    /// It stays a root of its own unless the outer one already grants all of its actions.
    NESTED,
    /// It always melts into the outer root, which thereby gains its actions everywhere.
    UNION
}
