package dev.capsem.wire.guest;

/// Which output of a command; a terminal's output is [#STDOUT].
public enum OutputStreamName {
    STDOUT(1),
    STDERR(2);

    private final int code;

    OutputStreamName(int code) {
        this.code = code;
    }

    /// The number on the wire, and the usual file descriptor.
    public int code() {
        return code;
    }
}
