package dev.capsem.sandboxserver.protocol;

import dev.capsem.http.HttpProblem;
import dev.capsem.service.problem.ServiceProblem;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonShapeException;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import tools.jackson.databind.node.ObjectNode;

/// Why a request of the sandbox-server API fails: one of its 18 codes, with cause and remedy.
public final class ApiProblem extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /// The catalogue. `BUDGET_EXHAUSTED` is part of the protocol; nothing here has budgets yet.
    public enum Code {
        BODY_TOO_LARGE(413),
        BUILD_FAILED(422),
        BUDGET_EXHAUSTED(403),
        CANCELED(499),
        EXEC_FAILED(500),
        EXEC_TIMEOUT(504),
        FILE_FAILED(500),
        FORBIDDEN(403),
        IDLE_TIMEOUT(410),
        INTERNAL(500),
        INVALID_INPUT(400),
        INVALID_JSON(400),
        NOT_FOUND(404),
        QUOTA_EXCEEDED(429),
        RATE_LIMITED(429),
        TIMEOUT_TOO_LARGE(400),
        TOO_MANY_STREAMS(429),
        UNAUTHORIZED(401);

        private final int status;

        Code(int status) {
            this.status = status;
        }

        public int status() {
            return status;
        }

        public String wireName() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /// Clients that know older servers look for the word "route" in it.
    private static final String NO_ROUTE = "there is no such route";

    /// The request contradicts the state of its sandbox. The catalogue has no code of its own for it.
    private static final int CONFLICT = 409;
    private static final int UNPROCESSABLE = 422;

    private final Code code;
    private final int status;
    private final String why;
    private final String remediation;
    private final transient Map<String, Object> context;

    private ApiProblem(
            Code code, int status, String message, String why, String remediation, Map<String, Object> context) {
        super(message);
        this.code = code;
        this.status = status;
        this.why = why;
        this.remediation = remediation;
        this.context = new TreeMap<>(context);
    }

    public ApiProblem(Code code, String message, String remediation) {
        this(code, code.status(), message, message, remediation, Map.of());
    }

    public static ApiProblem conflict(String message, String remediation) {
        return new ApiProblem(Code.INVALID_INPUT, CONFLICT, message, message, remediation, Map.of());
    }

    /// Of a request that is right by itself and cannot be meant beside an earlier one. Not 409: clients take that of
    /// a template for "it is there already".
    public static ApiProblem unprocessable(String message, String remediation) {
        return new ApiProblem(Code.INVALID_INPUT, UNPROCESSABLE, message, message, remediation, Map.of());
    }

    /// @param value a string or a whole number
    public ApiProblem with(String key, Object value) {
        Map<String, Object> more = new TreeMap<>(context);
        more.put(key, value);
        return new ApiProblem(code, status, String.valueOf(getMessage()), why, remediation, more);
    }

    /// The same with the sentence that names what the message keeps general.
    public ApiProblem because(String cause) {
        return new ApiProblem(code, status, String.valueOf(getMessage()), cause, remediation, context);
    }

    public Code code() {
        return code;
    }

    public int status() {
        return status;
    }

    /// The sentence that says why.
    String cause() {
        return why;
    }

    boolean isNoRoute() {
        return NO_ROUTE.equals(getMessage());
    }

    public ObjectNode toJson() {
        ObjectNode error = Json.object()
                .put("code", code.wireName())
                .put("message", getMessage())
                .put("cause", why)
                .put("remediation", remediation);
        if (!context.isEmpty()) {
            ObjectNode facts = error.putObject("context");
            context.forEach((key, value) -> {
                if (value instanceof Number number) {
                    facts.put(key, number.longValue());
                } else {
                    facts.put(key, value.toString());
                }
            });
        }
        ObjectNode json = Json.object();
        json.set("error", error);
        return json;
    }

    static ApiProblem of(JsonShapeException e) {
        return new ApiProblem(
                        Code.INVALID_INPUT,
                        "the body is not as this route takes it",
                        "see docs/reference/sandbox-server.md")
                .because(e.reason());
    }

    /// A request that is wrong as HTTP.
    static ApiProblem of(HttpProblem problem) {
        String cause = String.valueOf(problem.getMessage());
        String remedy = problem.error().remedy();
        return switch (problem.code()) {
            case ROUTE_NOT_FOUND, METHOD_NOT_ALLOWED ->
                new ApiProblem(Code.NOT_FOUND, NO_ROUTE, "see docs/reference/sandbox-server.md for all routes")
                        .because(cause);
            case TOO_LARGE -> new ApiProblem(Code.BODY_TOO_LARGE, cause, remedy);
            case BAD_JSON -> new ApiProblem(Code.INVALID_JSON, cause, remedy);
            case BAD_REQUEST, BAD_QUERY, NOT_JSON, WRONG_SHAPE -> new ApiProblem(Code.INVALID_INPUT, cause, remedy);
            case INTERNAL -> new ApiProblem(Code.INTERNAL, cause, remedy);
        };
    }

    /// A problem of the service behind it, in the words of this API.
    ///
    /// @param failed the code for what failed rather than was refused: it depends on what was tried
    public static ApiProblem of(ServiceProblem problem, Code failed) {
        String cause = String.valueOf(problem.getMessage());
        String remedy = remedy(problem);
        return switch (problem.code()) {
            case PATH_OUTSIDE, NOT_A_FILE, BLOCKED -> new ApiProblem(Code.FORBIDDEN, cause, remedy);
            case SANDBOX_NOT_FOUND,
                    FILE_NOT_FOUND,
                    NOTHING_RECORDED,
                    PROFILE_NOT_FOUND,
                    RULE_NOT_FOUND,
                    QUESTION_NOT_FOUND,
                    EVENT_NOT_FOUND,
                    SERVER_NOT_FOUND,
                    TOOL_NOT_FOUND,
                    SECRET_NOT_FOUND,
                    GRANT_NOT_FOUND,
                    BUDGET_NOT_FOUND ->
                new ApiProblem(Code.NOT_FOUND, problem.code().wireName().replace('_', ' '), remedy).because(cause);
            case NAME_TAKEN,
                    NOT_RUNNING,
                    SUSPENDED,
                    BUSY,
                    NO_PROJECT,
                    QUESTION_OVER,
                    LEADS_INSIDE,
                    RULE_EXISTS,
                    RULE_IS_BUILTIN,
                    SERVER_EXISTS,
                    SERVER_IS_LOCKED,
                    ORIGINAL_CHANGED,
                    NOT_AS_READ -> conflict(cause, remedy);
            case TOO_LARGE -> new ApiProblem(Code.BODY_TOO_LARGE, cause, remedy);
            case BAD_QUERY,
                    BAD_NAME,
                    BAD_PATH,
                    BAD_PROJECT,
                    BAD_MOUNT,
                    BAD_PROFILE,
                    BAD_RULE_ID,
                    ASK_REFUSED,
                    BAD_SERVER,
                    BAD_SECRET,
                    BAD_GRANT,
                    BAD_BUDGET,
                    NOT_PERSISTENT,
                    ALREADY_PERSISTENT,
                    WRONG_SHAPE,
                    BAD_LIMIT,
                    BAD_COMMAND,
                    BAD_ENVIRONMENT,
                    PROFILE_REFUSED,
                    BAD_RULE,
                    BAD_DETECTION,
                    BAD_EVENT,
                    BAD_SQL,
                    QUERY_STOPPED,
                    NOT_EDITABLE -> new ApiProblem(Code.INVALID_INPUT, cause, remedy);
            case TOO_MANY_SANDBOXES, DISK_FULL -> new ApiProblem(Code.QUOTA_EXCEEDED, cause, remedy);
            case TOO_MANY_COMMANDS -> new ApiProblem(Code.TOO_MANY_STREAMS, cause, remedy);
            case HOST_PROBLEM, SHUTTING_DOWN -> new ApiProblem(Code.INTERNAL, cause, remedy);
            case START_FAILED, OPERATION_FAILED, TOO_MANY_QUERIES, RECORD_UNAVAILABLE, SANDBOX_LOST ->
                new ApiProblem(failed, cause, remedy);
        };
    }

    /// The service's own remedies name its own routes and the command line.
    private static String remedy(ServiceProblem problem) {
        return switch (problem.code()) {
            case FILE_NOT_FOUND -> "list the directory: POST /v1/files/list";
            case SUSPENDED, NOT_RUNNING -> "let it go on: POST /v1/resume";
            case SANDBOX_NOT_FOUND, SANDBOX_LOST -> "see which there are: GET /v1/sandboxes";
            case NAME_TAKEN -> "choose another id, or end that one: DELETE /v1/sandboxes/{id}";
            default -> problem.remedy();
        };
    }
}
