package dev.capsem.sandbox.workspace.tree;

/// What kind of object a name stands for.
public enum FileType {
    DIRECTORY,
    REGULAR,
    SYMLINK,
    /// In an overlay's upper layer: the name is gone.
    WHITEOUT,
    /// FIFO, socket or device.
    SPECIAL
}
