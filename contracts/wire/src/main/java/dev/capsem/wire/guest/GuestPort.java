package dev.capsem.wire.guest;

/// The vsock ports between a sandbox and its capsem-process.
public enum GuestPort {
    CONTROL(5000),
    TERMINAL(5001),
    /// TLS, plain HTTP and framed MCP.
    NETWORK(5002),
    EXEC(5005),
    DNS(5007);

    private final int number;

    GuestPort(int number) {
        this.number = number;
    }

    public int number() {
        return number;
    }
}
