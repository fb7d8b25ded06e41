package dev.capsem.sandboxserver.protocol;

import java.util.Locale;

/// Those codes of the Connect protocol that are used here, with the status of a unary answer.
enum ConnectCode {
    CANCELED(499),
    INVALID_ARGUMENT(400),
    DEADLINE_EXCEEDED(504),
    NOT_FOUND(404),
    PERMISSION_DENIED(403),
    RESOURCE_EXHAUSTED(429),
    FAILED_PRECONDITION(400),
    UNIMPLEMENTED(501),
    INTERNAL(500),
    UNAUTHENTICATED(401);

    private static final int CONFLICT = 409;

    private final int status;

    ConnectCode(int status) {
        this.status = status;
    }

    int status() {
        return status;
    }

    String wireName() {
        return name().toLowerCase(Locale.ROOT);
    }

    static ConnectCode of(ApiProblem problem) {
        if (problem.isNoRoute()) {
            return UNIMPLEMENTED;
        }
        if (problem.status() == CONFLICT) {
            return FAILED_PRECONDITION;
        }
        return switch (problem.code()) {
            case CANCELED -> CANCELED;
            case INVALID_INPUT, INVALID_JSON, TIMEOUT_TOO_LARGE -> INVALID_ARGUMENT;
            case EXEC_TIMEOUT -> DEADLINE_EXCEEDED;
            case NOT_FOUND, IDLE_TIMEOUT -> NOT_FOUND;
            case FORBIDDEN, BUDGET_EXHAUSTED -> PERMISSION_DENIED;
            case BODY_TOO_LARGE, QUOTA_EXCEEDED, RATE_LIMITED, TOO_MANY_STREAMS -> RESOURCE_EXHAUSTED;
            case BUILD_FAILED, EXEC_FAILED, FILE_FAILED, INTERNAL -> INTERNAL;
            case UNAUTHORIZED -> UNAUTHENTICATED;
        };
    }
}
