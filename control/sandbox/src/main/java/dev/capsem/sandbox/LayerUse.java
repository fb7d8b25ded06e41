package dev.capsem.sandbox;

/// Disk space used by the layers of a sandbox (system, workspace, changes to a project).
public record LayerUse(long bytes, long files) {
    public static final LayerUse NOTHING = new LayerUse(0, 0);
}
