package dev.capsem.toolserver;

/// A tool could not do its work, and the caller can do something about it.
public final class ToolFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String code;
    private final String remedy;

    /// A failure that programs need not tell from others; its reason says what to do, where that is not plain.
    public ToolFailure(String reason) {
        this("tool_failed", reason, "");
    }

    /// @param code stable, for programs
    /// @param cause one sentence
    /// @param remedy what to do about it
    public ToolFailure(String code, String cause, String remedy) {
        super(cause, null, false, false);
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
