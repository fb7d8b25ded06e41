package dev.capsem.service.v1;

import dev.capsem.service.http.Answer;
import dev.capsem.service.http.Request;

/// How a problem is said: by the REST envelope, or as the Connect protocol wants it.
public final class Dialect {
    private static final String CONNECT = "/sandbox.v1.Sandbox/";

    private Dialect() {}

    static boolean isConnect(String path) {
        return path.startsWith(CONNECT);
    }

    public static Answer answer(Request request, ApiProblem problem) {
        return new Answer.JsonBody(problem.status(), problem.toJson());
    }

    /// The code for what was tried and did not work.
    static ApiProblem.Code failed(String path) {
        if (path.startsWith("/v1/exec")) {
            return ApiProblem.Code.EXEC_FAILED;
        }
        return path.startsWith("/v1/files/") ? ApiProblem.Code.FILE_FAILED : ApiProblem.Code.INTERNAL;
    }
}
