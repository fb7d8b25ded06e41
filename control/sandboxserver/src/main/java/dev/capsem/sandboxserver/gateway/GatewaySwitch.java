package dev.capsem.sandboxserver.gateway;

/// The gateway's server, on or off.
public interface GatewaySwitch {
    /// Ends what runs and, if they say so, starts as the settings say. Throws UncheckedIOException when the port
    /// cannot be had; then it is off.
    void set(GatewaySettings settings);
}
