package dev.capsem.service.http;

import dev.capsem.wire.service.ServiceError;
import java.util.Locale;

/// A request that cannot be fulfilled: thrown anywhere below a route, turned into its status and body at the edge.
public final class Refusal extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public enum Code {
        BAD_REQUEST(400),
        BAD_JSON(400),
        BAD_QUERY(400),
        BAD_NAME(400),
        BAD_PATH(400),
        BAD_PROJECT(400),
        BAD_PROFILE(400),
        BAD_RULE_ID(400),
        ASK_REFUSED(400),
        BAD_SERVER(400),
        BAD_SECRET(400),
        NOT_PERSISTENT(400),
        ALREADY_PERSISTENT(400),
        PATH_OUTSIDE(403),
        NOT_A_FILE(403),
        BLOCKED(403),
        ROUTE_NOT_FOUND(404),
        SANDBOX_NOT_FOUND(404),
        FILE_NOT_FOUND(404),
        NOTHING_RECORDED(404),
        PROFILE_NOT_FOUND(404),
        RULE_NOT_FOUND(404),
        QUESTION_NOT_FOUND(404),
        EVENT_NOT_FOUND(404),
        SERVER_NOT_FOUND(404),
        TOOL_NOT_FOUND(404),
        SECRET_NOT_FOUND(404),
        METHOD_NOT_ALLOWED(405),
        NAME_TAKEN(409),
        NOT_RUNNING(409),
        SUSPENDED(409),
        BUSY(409),
        NO_PROJECT(409),
        QUESTION_OVER(409),
        LEADS_INSIDE(409),
        RULE_EXISTS(409),
        RULE_IS_BUILTIN(409),
        SERVER_EXISTS(409),
        SERVER_IS_LOCKED(409),
        ORIGINAL_CHANGED(409),
        NOT_AS_READ(409),
        TOO_LARGE(413),
        NOT_JSON(415),
        WRONG_SHAPE(422),
        BAD_LIMIT(422),
        BAD_COMMAND(422),
        BAD_ENVIRONMENT(422),
        PROFILE_REFUSED(422),
        BAD_RULE(422),
        BAD_DETECTION(422),
        BAD_EVENT(422),
        BAD_SQL(422),
        QUERY_STOPPED(422),
        NOT_EDITABLE(422),
        START_FAILED(500),
        OPERATION_FAILED(500),
        INTERNAL(500),
        TOO_MANY_SANDBOXES(503),
        TOO_MANY_COMMANDS(503),
        TOO_MANY_QUERIES(503),
        RECORD_UNAVAILABLE(503),
        HOST_PROBLEM(503),
        SANDBOX_LOST(503),
        SHUTTING_DOWN(503),
        DISK_FULL(507);

        private final int status;

        Code(int status) {
            this.status = status;
        }

        public int status() {
            return status;
        }

        /// As in the `code` member of an error body.
        public String wireName() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private final Code code;
    private final String remedy;

    public Refusal(Code code, String message, String remedy) {
        super(message);
        this.code = code;
        this.remedy = remedy;
    }

    public Refusal(Code code, String message, String remedy, Throwable cause) {
        super(message, cause);
        this.code = code;
        this.remedy = remedy;
    }

    public Code code() {
        return code;
    }

    public ServiceError error() {
        return new ServiceError(String.valueOf(getMessage()), code.wireName(), remedy);
    }
}
