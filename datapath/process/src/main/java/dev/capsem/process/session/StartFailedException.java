package dev.capsem.process.session;

import dev.capsem.wire.ipc.FailureCode;

/// The sandbox could not be started: code, cause and remedy for people and agents.
public final class StartFailedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final FailureCode code;
    private final String remedy;

    public StartFailedException(FailureCode code, String cause, String remedy) {
        super(cause);
        this.code = code;
        this.remedy = remedy;
    }

    public FailureCode code() {
        return code;
    }

    public String reason() {
        return String.valueOf(getMessage());
    }

    public String remedy() {
        return remedy;
    }
}
