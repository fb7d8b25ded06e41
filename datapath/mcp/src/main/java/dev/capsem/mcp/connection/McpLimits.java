package dev.capsem.mcp.connection;

import java.time.Duration;
import java.util.Map;

/// What one guest connection may take.
///
/// @param inFlightMax requests at once; the next one is read when one of them is over
/// @param outboundMax frames that wait to be written; replies wait for room, notifications are dropped and counted
/// @param requestTimeout of every method but `tools/call`
/// @param toolTimeout of `tools/call`, and of a person's or client's answer to a server's own request
public record McpLimits(int inFlightMax, int outboundMax, Duration requestTimeout, Duration toolTimeout) {
    public static final McpLimits DEFAULT = new McpLimits(64, 256, Duration.ofMinutes(1), Duration.ofMinutes(5));

    /// No call runs longer, whatever the environment says.
    private static final Duration TIMEOUT_MAX = Duration.ofMinutes(5);

    /// With the timeouts of `CAPSEM_MCP_DEFAULT_TIMEOUT_SECS` and `CAPSEM_MCP_TOOL_CALL_TIMEOUT_SECS`, where they are
    /// whole numbers above zero.
    public static McpLimits from(Map<String, String> environment) {
        return new McpLimits(
                DEFAULT.inFlightMax,
                DEFAULT.outboundMax,
                seconds(environment.getOrDefault("CAPSEM_MCP_DEFAULT_TIMEOUT_SECS", ""), DEFAULT.requestTimeout),
                seconds(environment.getOrDefault("CAPSEM_MCP_TOOL_CALL_TIMEOUT_SECS", ""), DEFAULT.toolTimeout));
    }

    private static Duration seconds(String text, Duration otherwise) {
        if (!text.matches("[0-9]{1,6}") || text.matches("0+")) {
            return otherwise;
        }
        Duration wanted = Duration.ofSeconds(Long.parseLong(text));
        return wanted.compareTo(TIMEOUT_MAX) > 0 ? TIMEOUT_MAX : wanted;
    }
}
