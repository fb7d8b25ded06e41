package dev.capsem.sandboxserver.files;

import static dev.capsem.http.Route.BodyKind.JSON;
import static dev.capsem.sandboxserver.protocol.Access.EXECUTE;
import static dev.capsem.sandboxserver.protocol.Access.READ;

import dev.capsem.http.HttpAnswer;
import dev.capsem.http.LongJson;
import dev.capsem.http.Route;
import dev.capsem.http.RouteCall;
import dev.capsem.sandboxserver.protocol.Bodies;
import dev.capsem.sandboxserver.protocol.GuardedApi;
import dev.capsem.sandboxserver.protocol.GuardedRoute;
import dev.capsem.service.files.GuestFile;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonMembers;
import dev.capsem.wire.json.JsonShapeException;
import java.util.List;
import java.util.Optional;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// `/v1/files/*`
public final class FilesApi implements GuardedApi {
    private final GuestFiles files;

    public FilesApi(GuestFiles files) {
        this.files = files;
    }

    @Override
    public List<GuardedRoute> routes() {
        return List.of(
                READ.to(Route.post("/v1/files/read", JSON, this::read)
                                .answers("{content, size, encoding?}", "Reads a file of at most 10 MiB."))
                        .aboutSandbox(),
                EXECUTE.to(Route.post("/v1/files/write", JSON, this::write)
                                .answers("{status, size}", "Replaces or creates a file; parents are made."))
                        .aboutSandbox(),
                READ.to(Route.post("/v1/files/list", JSON, this::list)
                                .answers(
                                        "{entries: [{name, path, is_dir, type, size, mode, modified_at_unix}]}",
                                        "Lists a directory."))
                        .aboutSandbox(),
                EXECUTE.to(Route.post("/v1/files/mkdir", JSON, this::makeDirectory)
                                .answers("{status}", "Makes a directory with its parents."))
                        .aboutSandbox(),
                EXECUTE.to(Route.post("/v1/files/remove", JSON, this::remove)
                                .answers("{status}", "Removes a file, or a directory with all that is in it."))
                        .aboutSandbox());
    }

    public HttpAnswer read(RouteCall call) {
        JsonMembers body = Bodies.of(call);
        byte[] bytes = files.read(Bodies.sandbox(body), body.text("path"));
        return new HttpAnswer.LongBody(200, new Content(bytes, Bodies.wantsBase64(body)));
    }

    private record Content(byte[] bytes, boolean base64) implements HttpAnswer.Document {
        @Override
        public void write(JsonGenerator out) {
            out.writeStartObject();
            Bodies.writeContent(out, "content", bytes, base64);
            LongJson.members(out, Json.object().put("size", bytes.length));
            out.writeEndObject();
        }

        @Override
        public void close() {}
    }

    public HttpAnswer write(RouteCall call) {
        JsonMembers body = Bodies.of(call);
        byte[] content = Bodies.content(body, "content");
        files.write(Bodies.sandbox(body), body.text("path"), content, mode(body));
        return HttpAnswer.json(Json.object().put("status", "ok").put("size", content.length));
    }

    /// A number of permission bits, or octal digits as text.
    private static Optional<Integer> mode(JsonMembers body) {
        Optional<JsonNode> mode = body.node("mode");
        if (mode.isPresent() && mode.get().isString()) {
            try {
                return Optional.of(Integer.parseInt(mode.get().stringValue(), 8));
            } catch (NumberFormatException e) {
                throw new JsonShapeException("mode must be octal digits, for example \"0644\"");
            }
        }
        return body.optionalInteger("mode");
    }

    public HttpAnswer list(RouteCall call) {
        JsonMembers body = Bodies.of(call);
        ObjectNode json = Json.object();
        ArrayNode entries = json.putArray("entries");
        for (GuestFile facts :
                files.list(Bodies.sandbox(body), body.optionalText("path").orElse("/root"))) {
            entries.add(Json.object()
                    .put("name", facts.name())
                    .put("path", facts.path())
                    .put("is_dir", facts.isDirectory())
                    .put("type", facts.type())
                    .put("size", facts.size())
                    .put("mode", facts.mode())
                    .put("modified_at_unix", facts.mtime()));
        }
        return HttpAnswer.json(json);
    }

    public HttpAnswer makeDirectory(RouteCall call) {
        JsonMembers body = Bodies.of(call);
        files.makeDirectory(Bodies.sandbox(body), body.text("path"));
        return HttpAnswer.json(Json.object().put("status", "ok"));
    }

    public HttpAnswer remove(RouteCall call) {
        JsonMembers body = Bodies.of(call);
        files.remove(Bodies.sandbox(body), body.text("path"));
        return HttpAnswer.json(Json.object().put("status", "ok"));
    }
}
