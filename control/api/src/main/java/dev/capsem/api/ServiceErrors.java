package dev.capsem.api;

import dev.capsem.http.ErrorTable;
import dev.capsem.http.HttpAnswer;
import dev.capsem.http.HttpProblem;
import dev.capsem.http.Request;
import dev.capsem.service.problem.ServiceProblem;
import dev.capsem.wire.json.JsonShapeException;
import dev.capsem.wire.service.ServiceError;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The statuses and error bodies of the service's own API.
public final class ServiceErrors implements ErrorTable {
    private static final Logger LOG = LoggerFactory.getLogger(ServiceErrors.class);
    private static final String REFERENCE = "see docs/reference/service-api.md";

    @Override
    public Told tell(Request request, RuntimeException problem) {
        return switch (problem) {
            case ServiceProblem refused -> told(status(refused.code()), error(refused));
            case HttpProblem malformed -> told(malformed.code().status(), malformed.error());
            case JsonShapeException misshapen -> told(HttpProblem.Code.WRONG_SHAPE, misshapen.reason(), REFERENCE);
            default -> {
                LOG.error("{} {} failed", request.method(), request.path(), problem);
                yield told(HttpProblem.Code.INTERNAL, "the service failed", "see `capsem triage`");
            }
        };
    }

    private static Told told(HttpProblem.Code code, String cause, String remedy) {
        return told(code.status(), new ServiceError(cause, code.wireName(), remedy));
    }

    private static Told told(int status, ServiceError error) {
        return new Told(status, error.code(), new HttpAnswer.JsonBody(status, error.toJson()));
    }

    /// The body of an error, or the last word of a stream.
    public static ServiceError error(ServiceProblem problem) {
        return new ServiceError(
                String.valueOf(problem.getMessage()), problem.code().wireName(), problem.remedy());
    }

    static int status(ServiceProblem.Code code) {
        return switch (code) {
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
                    ALREADY_PERSISTENT -> 400;
            case PATH_OUTSIDE, NOT_A_FILE, BLOCKED -> 403;
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
                    BUDGET_NOT_FOUND -> 404;
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
                    NOT_AS_READ -> 409;
            case TOO_LARGE -> 413;
            case WRONG_SHAPE,
                    BAD_LIMIT,
                    BAD_COMMAND,
                    BAD_ENVIRONMENT,
                    PROFILE_REFUSED,
                    BAD_RULE,
                    BAD_DETECTION,
                    BAD_EVENT,
                    BAD_SQL,
                    QUERY_STOPPED,
                    NOT_EDITABLE -> 422;
            case START_FAILED, OPERATION_FAILED -> 500;
            case TOO_MANY_SANDBOXES,
                    TOO_MANY_COMMANDS,
                    TOO_MANY_QUERIES,
                    RECORD_UNAVAILABLE,
                    HOST_PROBLEM,
                    SANDBOX_LOST,
                    SHUTTING_DOWN -> 503;
            case DISK_FULL -> 507;
        };
    }
}
