package dev.capsem.service.problem;

import java.util.Locale;

/// The service cannot do what it was asked: code, cause and remedy. Each API has a table of its own for the codes.
public final class ServiceProblem extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public enum Code {
        BAD_QUERY,
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
        PATH_OUTSIDE,
        NOT_A_FILE,
        BLOCKED,
        SANDBOX_NOT_FOUND,
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
        BUDGET_NOT_FOUND,
        NAME_TAKEN,
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
        NOT_AS_READ,
        TOO_LARGE,
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
        NOT_EDITABLE,
        START_FAILED,
        OPERATION_FAILED,
        TOO_MANY_SANDBOXES,
        TOO_MANY_COMMANDS,
        TOO_MANY_QUERIES,
        RECORD_UNAVAILABLE,
        HOST_PROBLEM,
        SANDBOX_LOST,
        SHUTTING_DOWN,
        DISK_FULL;

        /// As clients and logs read it.
        public String wireName() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private final Code code;
    private final String remedy;

    public ServiceProblem(Code code, String message, String remedy) {
        super(message);
        this.code = code;
        this.remedy = remedy;
    }

    public ServiceProblem(Code code, String message, String remedy, Throwable cause) {
        super(message, cause);
        this.code = code;
        this.remedy = remedy;
    }

    public Code code() {
        return code;
    }

    public String remedy() {
        return remedy;
    }
}
