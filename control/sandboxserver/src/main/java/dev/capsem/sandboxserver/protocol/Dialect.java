package dev.capsem.sandboxserver.protocol;

import dev.capsem.http.HttpAnswer;
import dev.capsem.http.Request;
import dev.capsem.wire.json.Json;
import tools.jackson.databind.node.ObjectNode;

/// How a problem is said: by the REST envelope, or as the Connect protocol wants it.
public final class Dialect {
    public static final String CONNECT_STREAM = "application/connect+json";
    public static final String CONNECT_PATH = "/sandbox.v1.Sandbox/";

    private Dialect() {}

    static boolean isConnect(String path) {
        return path.startsWith(CONNECT_PATH);
    }

    /// Of somebody who is not let in at all: a status, whatever they asked for.
    public static HttpAnswer refusal(Request request, ApiProblem problem) {
        if (!isConnect(request.path())) {
            return new HttpAnswer.JsonBody(problem.status(), problem.toJson());
        }
        ConnectCode code = ConnectCode.of(problem);
        return new HttpAnswer.JsonBody(code.status(), error(code, problem));
    }

    /// A Connect stream begins well and says at its end what went wrong.
    static HttpAnswer answer(Request request, ApiProblem problem) {
        boolean isStream = isConnect(request.path())
                && request.contentType()
                        .filter(type -> type.startsWith(CONNECT_STREAM))
                        .isPresent();
        if (!isStream) {
            return refusal(request, problem);
        }
        return new HttpAnswer.Stream(CONNECT_STREAM, sink -> sink.write(end(problem)));
    }

    /// The last frame of a stream that failed.
    public static byte[] end(ApiProblem problem) {
        ObjectNode json = Json.object();
        json.set("error", error(ConnectCode.of(problem), problem));
        return ConnectFrames.end(json);
    }

    private static ObjectNode error(ConnectCode code, ApiProblem problem) {
        String message = String.valueOf(problem.getMessage());
        boolean saysAll = message.equals(problem.cause());
        return Json.object()
                .put("code", code.wireName())
                .put("message", saysAll ? message : message + ": " + problem.cause());
    }

    /// The code for what was tried and did not work.
    static ApiProblem.Code failed(String path) {
        if (path.startsWith("/v1/exec")) {
            return ApiProblem.Code.EXEC_FAILED;
        }
        return path.startsWith("/v1/files/") ? ApiProblem.Code.FILE_FAILED : ApiProblem.Code.INTERNAL;
    }
}
