package dev.capsem.security.explain;

import dev.capsem.events.security.SecurityEvent;
import dev.capsem.events.security.SecurityEvent.DnsRequest;
import dev.capsem.events.security.SecurityEvent.FileActivity;
import dev.capsem.events.security.SecurityEvent.HostActivity;
import dev.capsem.events.security.SecurityEvent.HttpRequest;
import dev.capsem.events.security.SecurityEvent.HttpResponse;
import dev.capsem.events.security.SecurityEvent.McpRequest;
import dev.capsem.events.security.SecurityEvent.McpResponse;
import dev.capsem.events.security.SecurityEvent.ModelRequest;
import dev.capsem.events.security.SecurityEvent.ModelResponse;
import dev.capsem.events.security.SecurityEvent.ProcessExec;

/// The narrowest condition that a person would write for such an event.
///
/// @param subject what the rule is named after
record Suggestion(String condition, String subject) {
    static Suggestion of(SecurityEvent event) {
        return switch (event) {
            case HttpRequest request ->
                new Suggestion(
                        equal("http.request.host", request.host()) + " && "
                                + equal("http.request.method", request.method())
                                + (request.leadsInside()
                                        ? " && "
                                                + equal(
                                                        "http.request.address_class",
                                                        request.addressClass().orElseThrow())
                                        : ""),
                        request.host());
            case HttpResponse response ->
                new Suggestion(
                        equal("http.request.host", response.request().host()),
                        response.request().host());
            case DnsRequest request -> new Suggestion(equal("dns.request.qname", request.qname()), request.qname());
            case McpRequest request -> mcp(request);
            case McpResponse response -> mcp(response.request());
            case ModelRequest request -> model(request);
            case ModelResponse response -> model(response.request());
            case ProcessExec exec -> new Suggestion(equal("process.exec.command", exec.command()), exec.executable());
            case FileActivity activity -> new Suggestion(equal("file.activity.path", activity.path()), activity.path());
            case HostActivity activity -> new Suggestion("false", activity.operation());
        };
    }

    private static Suggestion mcp(McpRequest request) {
        String server = equal("mcp.request.server_name", request.serverName());
        return request.toolName()
                .map(tool -> new Suggestion(
                        server + " && " + equal("mcp.request.tool_name", tool), request.serverName() + "_" + tool))
                .orElseGet(() -> new Suggestion(
                        server + " && " + equal("mcp.request.method", request.method()),
                        request.serverName() + "_" + request.method()));
    }

    private static Suggestion model(ModelRequest request) {
        String provider = equal("model.request.provider", request.provider());
        return request.model()
                .map(model -> new Suggestion(
                        provider + " && " + equal("model.request.model", model), request.provider() + "_" + model))
                .orElseGet(() -> new Suggestion(provider, request.provider()));
    }

    private static String equal(String path, String value) {
        return path + " == " + Quoting.cel(value);
    }

    String name(String prefix) {
        String name = prefix + subject.replaceAll("[^A-Za-z0-9]+", "_");
        return name.length() > 64 ? name.substring(0, 64) : name;
    }
}
