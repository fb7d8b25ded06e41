package dev.capsem.process.session;

/// The sandbox could not be started: code, cause and remedy for people and agents.
public final class StartFailedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String code;
    private final String remedy;

    public StartFailedException(String code, String cause, String remedy) {
        super(cause);
        this.code = code;
        this.remedy = remedy;
    }

    public String code() {
        return code;
    }

    public String reason() {
        return String.valueOf(getMessage());
    }

    public String remedy() {
        return remedy;
    }
}
