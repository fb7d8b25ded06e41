package dev.capsem.mcp.connection;

import dev.capsem.events.vocabulary.IdSource;
import dev.capsem.mcp.backend.ToolBackend;
import dev.capsem.mcp.record.CallTraces;
import dev.capsem.mcp.record.McpPorts;
import java.time.InstantSource;
import java.util.function.UnaryOperator;

/// The dependencies that all connections of a sandbox share.
///
/// @param version of this program, as clients are told
/// @param mask hides secrets in the text that is recorded; rules see the real values all the same
public record EndpointDependencies(
        McpPorts ports,
        ToolBackend backend,
        CallTraces traces,
        SharedInterests interests,
        McpLimits limits,
        InstantSource clock,
        IdSource ids,
        String version,
        UnaryOperator<String> mask) {}
