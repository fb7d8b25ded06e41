package dev.capsem.api;

import static dev.capsem.http.Route.BodyKind.BYTES;

import dev.capsem.http.Api;
import dev.capsem.http.HttpAnswer;
import dev.capsem.http.Route;
import dev.capsem.http.RouteCall;
import dev.capsem.service.files.SandboxFiles;
import dev.capsem.service.problem.ServiceProblem;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.service.FileEntry;
import java.util.List;
import java.util.Optional;

/// Routes that move files.
public final class FileApi implements Api {
    private final SandboxFiles files;

    public FileApi(SandboxFiles files) {
        this.files = files;
    }

    @Override
    public List<Route> routes() {
        return List.of(
                Route.get("/files/{id}/content", this::read)
                        .answers("the bytes", "Reads the file ?path=, at most 10 MiB."),
                Route.post("/files/{id}/content", BYTES, this::write)
                        .answers("{success, size}", "Writes the body to ?path=, at most 10 MiB; parents are made."),
                Route.get("/files/{id}", this::list)
                        .answers("{entries: […]}", "Lists ?path= down to ?depth= (1 to 6)."));
    }

    HttpAnswer read(RouteCall call) {
        String path = path(call);
        byte[] bytes = files.read(call.variable("id"), path);
        String name = path.substring(path.lastIndexOf('/') + 1);
        return new HttpAnswer.Content(
                SandboxFiles.mediaType(name).orElse("application/octet-stream"), bytes, Optional.of(name));
    }

    HttpAnswer write(RouteCall call) {
        String path = path(call);
        byte[] content = call.request().body().read(SandboxFiles.FILE_BYTES_MAX);
        files.write(call.variable("id"), path, content);
        return HttpAnswer.json(Json.object().put("success", true).put("size", content.length));
    }

    HttpAnswer list(RouteCall call) {
        int depth = call.query("depth", 1, 1, SandboxFiles.DEPTH_MAX);
        return HttpAnswer.json(FileEntry.listToJson(
                files.list(call.variable("id"), call.query("path").orElse(""), depth)));
    }

    private static String path(RouteCall call) {
        return call.query("path")
                .orElseThrow(() -> new ServiceProblem(
                        ServiceProblem.Code.BAD_PATH, "no file is named", "give ?path= with a path relative to /root"));
    }
}
