package dev.capsem.sandbox;

/// What the layers of a sandbox (system, workspace, changes to a project) take on the host's disk.
public record LayerUse(long bytes, long files) {
    public static final LayerUse NOTHING = new LayerUse(0, 0);
}
