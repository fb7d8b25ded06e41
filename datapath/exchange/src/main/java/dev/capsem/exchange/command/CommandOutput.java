package dev.capsem.exchange.command;

/// Bytes that a command wrote.
public record CommandOutput(Stream stream, byte[] data) {
    public enum Stream {
        STDOUT,
        STDERR
    }

    /// Says nothing, and finds out whether anybody is there.
    static CommandOutput nothing() {
        return new CommandOutput(Stream.STDOUT, new byte[0]);
    }
}
