package dev.capsem.sandbox.workspace.tree;

import java.nio.file.Path;

/// Why a change, or a repository's commits, did not come back.
public record ApplyProblem(Path path, String reason, String remedy) {}
