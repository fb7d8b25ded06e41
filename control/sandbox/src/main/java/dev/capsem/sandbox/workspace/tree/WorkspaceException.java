package dev.capsem.sandbox.workspace.tree;

/// The project or its changes could not be read or written: what, why, and what to do.
public final class WorkspaceException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public enum Code {
        PROJECT_UNREADABLE,
        PROJECT_TOO_LARGE,
        MANIFEST_DAMAGED,
        NO_SUCH_CHANGE,
        NOT_AS_READ,
        GIT_OWN,
        TOO_MANY_CHANGES,
        APPLY_INCOMPLETE
    }

    private final Code code;
    private final String remedy;

    public WorkspaceException(Code code, String cause, String remedy) {
        super(cause);
        this.code = code;
        this.remedy = remedy;
    }

    public WorkspaceException(Code code, String cause, String remedy, Throwable reason) {
        super(cause, reason);
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
