package dev.capsem.toolserver;

import dev.capsem.wire.json.Json;
import dev.capsem.wire.mcp.McpVersions;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import tools.jackson.databind.node.ObjectNode;

/// The tools, resources and prompts of a server, the same for all its clients.
public final class ToolServer {
    private final Identity identity;
    private final Map<String, McpTool> tools = new LinkedHashMap<>();
    private final Function<ToolFailure, ToolAnswer> failures;
    private final Optional<McpResources> resources;
    private final Map<String, Prompt> prompts = new LinkedHashMap<>();

    /// @param instructions what a model should know before it uses the tools
    public record Identity(String name, String title, String version, String instructions) {}

    /// @param failures how a failure is put to the caller
    public ToolServer(
            Identity identity,
            List<McpTool> tools,
            Function<ToolFailure, ToolAnswer> failures,
            Optional<McpResources> resources,
            List<Prompt> prompts) {
        this.identity = identity;
        tools.forEach(tool -> this.tools.put(tool.name(), tool));
        this.failures = failures;
        this.resources = resources;
        prompts.forEach(prompt -> this.prompts.put(prompt.name(), prompt));
    }

    Map<String, McpTool> tools() {
        return tools;
    }

    Optional<McpResources> resources() {
        return resources;
    }

    Map<String, Prompt> prompts() {
        return prompts;
    }

    ToolAnswer failed(ToolFailure failure) {
        return failures.apply(failure);
    }

    ObjectNode handshake(String wanted) {
        ObjectNode result = Json.object().put("protocolVersion", McpVersions.negotiated(wanted));
        ObjectNode capabilities = result.putObject("capabilities");
        capabilities.putObject("tools").put("listChanged", false);
        if (resources.isPresent()) {
            capabilities.putObject("resources").put("listChanged", false).put("subscribe", false);
        }
        if (!prompts.isEmpty()) {
            capabilities.putObject("prompts").put("listChanged", false);
        }
        result.putObject("serverInfo")
                .put("name", identity.name())
                .put("title", identity.title())
                .put("version", identity.version());
        return result.put("instructions", identity.instructions());
    }
}
