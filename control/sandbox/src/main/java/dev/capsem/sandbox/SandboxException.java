package dev.capsem.sandbox;

/// The host failed a driver: what it was doing, why, and what to do about it.
public final class SandboxException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public enum Code {
        HOST_UNFIT,
        TEMPLATE_FAILED,
        LAUNCH_FAILED,
        CGROUP_FAILED,
        FREEZE_FAILED,
        DESTROY_FAILED,
        COPY_FAILED,
        MEASURE_FAILED,
        REMOVE_FAILED
    }

    private final Code code;
    private final String remedy;

    public SandboxException(Code code, String cause, String remedy) {
        super(cause);
        this.code = code;
        this.remedy = remedy;
    }

    public SandboxException(Code code, String cause, String remedy, Exception origin) {
        super(cause, origin);
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
