package dev.capsem.sandboxmcp.tools;

import dev.capsem.toolserver.FileText;
import dev.capsem.toolserver.McpResources;
import dev.capsem.toolserver.ToolFailure;
import dev.capsem.wire.SandboxId;
import dev.capsem.wire.json.Json;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// `mitos://sandboxes/{id}/log` and `mitos://sandboxes/{id}/files/{path}`
final class SandboxResources implements McpResources {
    private static final String PREFIX = "mitos://sandboxes/";
    private static final String FILES = "/files/";
    private static final String LOG = "/log";

    private final SandboxCalls calls;
    private final CommandLog log;

    SandboxResources(SandboxCalls calls, CommandLog log) {
        this.calls = calls;
        this.log = log;
    }

    @Override
    public List<ObjectNode> list() throws InterruptedException {
        JsonNode answer;
        try {
            answer = calls.list();
        } catch (ServerRefusal e) {
            throw new ToolFailure(e.code(), e.reason(), e.remediation());
        }
        List<ObjectNode> resources = new ArrayList<>();
        for (JsonNode sandbox : answer.values()) {
            String id = sandbox.path("id").asString("");
            if (SandboxId.isValid(id)) {
                resources.add(Json.object()
                        .put("uri", PREFIX + id + LOG)
                        .put("name", id + " log")
                        .put("description", "Commands that this server ran in the sandbox, and what they printed.")
                        .put("mimeType", "text/plain"));
            }
        }
        return resources;
    }

    @Override
    public List<ObjectNode> templates() {
        return List.of(
                Json.object()
                        .put("uriTemplate", PREFIX + "{sandbox}/files/{+path}")
                        .put("name", "Sandbox file")
                        .put("description", "A file of a sandbox, by its absolute path without the first slash."),
                Json.object()
                        .put("uriTemplate", PREFIX + "{sandbox}/log")
                        .put("name", "Sandbox log")
                        .put("description", "Commands that this server ran in the sandbox, and what they printed.")
                        .put("mimeType", "text/plain"));
    }

    @Override
    public Optional<ObjectNode> read(String uri) throws InterruptedException {
        if (!uri.startsWith(PREFIX)) {
            return Optional.empty();
        }
        String rest = uri.substring(PREFIX.length());
        int slash = rest.indexOf('/');
        String id = slash < 0 ? rest : rest.substring(0, slash);
        String what = slash < 0 ? "" : rest.substring(slash);
        if (!SandboxId.isValid(id)) {
            return Optional.empty();
        }
        if (what.equals(LOG)) {
            return log.of(id)
                    .map(text -> Json.object()
                            .put("uri", uri)
                            .put("mimeType", "text/plain")
                            .put("text", text));
        }
        return what.startsWith(FILES) && what.length() > FILES.length()
                ? file(uri, id, "/" + decoded(what.substring(FILES.length())))
                : Optional.empty();
    }

    private Optional<ObjectNode> file(String uri, String id, String path) throws InterruptedException {
        byte[] bytes;
        try {
            bytes = calls.read(id, path);
        } catch (ServerRefusal e) {
            if (e.status() == 404) {
                return Optional.empty();
            }
            throw new ToolFailure(e.code(), e.reason(), e.remediation());
        }
        FileText file = FileText.of(bytes);
        ObjectNode content = Json.object().put("uri", uri);
        return Optional.of(
                file.isBase64()
                        ? content.put("mimeType", "application/octet-stream").put("blob", file.content())
                        : content.put("mimeType", "text/plain").put("text", file.content()));
    }

    /// A plus is a plus in a path.
    private static String decoded(String text) {
        try {
            return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            return text;
        }
    }
}
