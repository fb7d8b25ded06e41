package dev.capsem.mcp.connection;

import java.time.Duration;
import java.util.Map;

/// The limits of the guest.
///
/// @param inFlightMax requests of one connection at once; the next one is read when one of them is over
/// @param sandboxInFlightMax the same of all connections together
/// @param connectionsMax of a sandbox; one more is closed at once
/// @param largeBytesMax total bytes of frames over 16 KiB being read or processed; reading pauses above it
/// @param outboundMax frames that wait to be written; replies wait for room, notifications are dropped and counted
/// @param outboundBytesMax the same in bytes; a frame that is larger waits until it is the only one
/// @param repliesBytesMax of all replies of all connections that are not written yet, waiting for room or not; the one
///     above it closes its connection. More than `inFlightMax` of the largest: one connection alone never gets there
/// @param requestTimeout of every method but `tools/call`
/// @param toolTimeout of `tools/call`, and of a person's or client's answer to a server's own request
public record McpLimits(
        int inFlightMax,
        int sandboxInFlightMax,
        int connectionsMax,
        int largeBytesMax,
        int outboundMax,
        int outboundBytesMax,
        int repliesBytesMax,
        Duration requestTimeout,
        Duration toolTimeout) {
    public static final McpLimits DEFAULT = new McpLimits(
            64, 1_024, 128, 32 << 20, 256, 4 << 20, 80 << 20, Duration.ofMinutes(1), Duration.ofMinutes(5));

    /// No call runs longer, whatever the environment says.
    private static final Duration TIMEOUT_MAX = Duration.ofMinutes(5);

    /// With `CAPSEM_MCP_INFLIGHT` and the timeouts of `CAPSEM_MCP_DEFAULT_TIMEOUT_SECS` and
    /// `CAPSEM_MCP_TOOL_CALL_TIMEOUT_SECS`, where they are whole numbers above zero.
    public static McpLimits from(Map<String, String> environment) {
        String inFlight = environment.getOrDefault("CAPSEM_MCP_INFLIGHT", "");
        return DEFAULT.with(
                isCount(inFlight)
                        ? Math.min(Integer.parseInt(inFlight), DEFAULT.sandboxInFlightMax)
                        : DEFAULT.sandboxInFlightMax,
                seconds(environment.getOrDefault("CAPSEM_MCP_DEFAULT_TIMEOUT_SECS", ""), DEFAULT.requestTimeout),
                seconds(environment.getOrDefault("CAPSEM_MCP_TOOL_CALL_TIMEOUT_SECS", ""), DEFAULT.toolTimeout));
    }

    /// These, and the others as they are.
    public McpLimits with(int newSandboxInFlightMax, Duration newRequestTimeout, Duration newToolTimeout) {
        return new McpLimits(
                inFlightMax,
                newSandboxInFlightMax,
                connectionsMax,
                largeBytesMax,
                outboundMax,
                outboundBytesMax,
                repliesBytesMax,
                newRequestTimeout,
                newToolTimeout);
    }

    private static Duration seconds(String text, Duration otherwise) {
        if (!isCount(text)) {
            return otherwise;
        }
        Duration wanted = Duration.ofSeconds(Long.parseLong(text));
        return wanted.compareTo(TIMEOUT_MAX) > 0 ? TIMEOUT_MAX : wanted;
    }

    private static boolean isCount(String text) {
        return text.matches("[0-9]{1,6}") && !text.matches("0+");
    }
}
