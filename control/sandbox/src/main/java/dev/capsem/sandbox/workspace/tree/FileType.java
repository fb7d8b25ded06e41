package dev.capsem.sandbox.workspace.tree;

/// The type of a file-system object.
public enum FileType {
    DIRECTORY,
    REGULAR,
    SYMLINK,
    /// In an overlay's upper layer: the name is gone.
    WHITEOUT,
    /// FIFO, socket or device.
    SPECIAL
}
