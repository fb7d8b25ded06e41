package dev.capsem.profiles.mcp;

import dev.capsem.profiles.secret.SecretRef;
import dev.capsem.profiles.secret.SecretTemplate;
import dev.capsem.source.json.JsonValue;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

/// One MCP server entry of a profile.
///
/// @param editable whether the API may remove or shadow it
/// @param allowedTools if not empty, no other tool of this server is listed or callable
/// @param capabilities what the sandbox of a stdio server may do
/// @param origin where the entry comes from, in the aggregator's words: `corp`, `manual`, `claude`, …
/// @param obstacle why the entry cannot be used as it is, with the remedy
public record McpServer(
        ServerName name,
        ServerTransport transport,
        boolean enabled,
        boolean editable,
        List<String> allowedTools,
        List<String> capabilities,
        String origin,
        Optional<String> obstacle) {
    public McpServer {
        allowedTools = List.copyOf(allowedTools);
        capabilities = List.copyOf(capabilities);
    }

    /// A program that says nothing about what it needs gets no sandbox, so it is not started.
    public boolean unsupportedStdio() {
        return transport instanceof ServerTransport.Stdio && capabilities.isEmpty();
    }

    /// Whether the aggregator should connect it.
    public boolean isUsable() {
        return enabled && !unsupportedStdio() && obstacle.isEmpty();
    }

    public McpServer withObstacle(String why) {
        return new McpServer(name, transport, enabled, editable, allowedTools, capabilities, origin, Optional.of(why));
    }

    public List<SecretRef> credentialRefs() {
        List<SecretTemplate> templates = new ArrayList<>();
        switch (transport) {
            case ServerTransport.Http http -> {
                templates.add(http.url());
                templates.addAll(http.headers().values());
                http.bearerToken().ifPresent(templates::add);
            }
            case ServerTransport.Stdio stdio -> {
                templates.addAll(stdio.args());
                templates.addAll(stdio.env().values());
            }
        }
        return templates.stream()
                .flatMap(template -> template.references().stream())
                .distinct()
                .toList();
    }

    /// The entry as the API shows it: secrets by their names only.
    public JsonValue.Members toJson() {
        JsonValue.Builder json = JsonValue.members().put("enabled", enabled);
        switch (transport) {
            case ServerTransport.Http http -> {
                json.put("type", http.isSse() ? "sse" : "http")
                        .put("url", http.url().text())
                        .put("headers", templates(http.headers()));
                http.bearerToken().ifPresent(token -> json.put("bearerToken", token.text()));
            }
            case ServerTransport.Stdio stdio ->
                json.put("type", "stdio")
                        .put("command", stdio.command())
                        .put(
                                "args",
                                stdio.args().stream().map(SecretTemplate::text).toList())
                        .put("env", templates(stdio.env()));
        }
        TreeSet<String> refs = new TreeSet<>();
        credentialRefs().forEach(ref -> refs.add(refName(ref)));
        json.put(
                "capsem",
                JsonValue.members()
                        .put("enabled", enabled)
                        .put("editable", editable)
                        .put("credential_refs", refs)
                        .put("allowed_tools", allowedTools)
                        .put("capabilities", capabilities));
        json.put("source", origin).put("unsupported_stdio", unsupportedStdio());
        obstacle.ifPresent(why -> json.put("obstacle", why));
        return json.build();
    }

    private static String refName(SecretRef ref) {
        return switch (ref) {
            case SecretRef.Stored stored -> stored.name().value();
            case SecretRef.OfHostTool host -> host.text();
        };
    }

    private static JsonValue.Members templates(Map<String, SecretTemplate> values) {
        JsonValue.Builder json = JsonValue.members();
        values.forEach((name, template) -> json.put(name, template.text()));
        return json.build();
    }
}
