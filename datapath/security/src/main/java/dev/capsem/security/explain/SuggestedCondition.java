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
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/// The narrowest condition that a person would write for such an event.
///
/// @param subject what the rule is named after
record SuggestedCondition(String condition, String subject) {
    static final String METHOD = "http.request.method";
    static final String PATH = "http.request.path";

    private static final int NAME_CHARS_MAX = 64;

    /// The mask of a secret in the record.
    private static final String MASK = "***";

    private static final Set<Integer> USUAL_PORTS = Set.of(80, 443);
    private static final String ADDRESS_CLASS = "http.request.address_class";

    /// @param about fields beside the host that the rules for this event look at
    static SuggestedCondition of(SecurityEvent event, Set<String> about) {
        return switch (event) {
            case HttpRequest request -> new SuggestedCondition(http(request, about), request.host());
            case HttpResponse response ->
                new SuggestedCondition(
                        equal("http.request.host", response.request().host()),
                        response.request().host());
            case DnsRequest request ->
                new SuggestedCondition(equal("dns.request.qname", request.qname()), request.qname());
            case McpRequest request -> mcp(request);
            case McpResponse response -> mcp(response.request());
            case ModelRequest request -> model(request);
            case ModelResponse response -> model(response.request());
            case ProcessExec exec ->
                new SuggestedCondition(equal("process.exec.command", exec.command()), exec.executable());
            case FileActivity activity ->
                new SuggestedCondition(equal("file.activity.path", activity.path()), activity.path());
            case HostActivity activity -> new SuggestedCondition("false", activity.operation());
        };
    }

    /// A rule about hosts gets an answer about the host, whatever the method. Inside, one port of one class of
    /// addresses is meant, not all that this host and its networks offer; before the name is resolved there is no
    /// class yet.
    private static String http(HttpRequest request, Set<String> about) {
        List<String> terms = new ArrayList<>();
        terms.add(equal("http.request.host", request.host()));
        if (request.leadsInside() || !USUAL_PORTS.contains(request.port())) {
            terms.add("http.request.port == " + request.port());
        }
        if (about.contains(METHOD)) {
            terms.add(equal(METHOD, request.method()));
        }
        if (about.contains(METHOD) || about.contains(PATH)) {
            terms.add(path(request.normalizedPath()));
        }
        if (request.leadsInside()) {
            String leads = equal(ADDRESS_CLASS, request.addressClass().orElseThrow());
            terms.add("(!has(" + ADDRESS_CLASS + ") || " + leads + ")");
        }
        return String.join(" && ", terms);
    }

    /// A path from the record may have a secret masked in it; what stands before it still tells the place.
    private static String path(String path) {
        int masked = path.indexOf(MASK);
        return masked < 0 ? equal(PATH, path) : PATH + ".startsWith(" + Quoting.cel(path.substring(0, masked)) + ")";
    }

    private static SuggestedCondition mcp(McpRequest request) {
        String server = equal("mcp.request.server_name", request.serverName());
        return request.toolName()
                .map(tool -> new SuggestedCondition(
                        server + " && " + equal("mcp.request.tool_name", tool), request.serverName() + "_" + tool))
                .orElseGet(() -> new SuggestedCondition(
                        server + " && " + equal("mcp.request.method", request.method()),
                        request.serverName() + "_" + request.method()));
    }

    private static SuggestedCondition model(ModelRequest request) {
        String provider = equal("model.request.provider", request.provider());
        return request.model()
                .map(model -> new SuggestedCondition(
                        provider + " && " + equal("model.request.model", model), request.provider() + "_" + model))
                .orElseGet(() -> new SuggestedCondition(provider, request.provider()));
    }

    private static String equal(String path, String value) {
        return path + " == " + Quoting.cel(value);
    }

    /// @param number above one for a further rule of that name
    String name(String prefix, int number) {
        String name = prefix + subject.replaceAll("[^A-Za-z0-9]+", "_");
        String end = number == 1 ? "" : "_" + number;
        int room = NAME_CHARS_MAX - end.length();
        return (name.length() > room ? name.substring(0, room) : name) + end;
    }
}
