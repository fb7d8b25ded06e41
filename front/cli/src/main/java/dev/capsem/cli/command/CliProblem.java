package dev.capsem.cli.command;

import dev.capsem.wire.service.ServiceError;

/// A command cannot go on: what happened, and what to do about it. Ends in exit code 125, or 2 for a usage mistake.
public final class CliProblem extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int exitCode;
    private final String code;
    private final String remedy;

    private CliProblem(int exitCode, String code, String cause, String remedy) {
        super(cause);
        this.exitCode = exitCode;
        this.code = code;
        this.remedy = remedy;
    }

    public static CliProblem of(String code, String cause, String remedy) {
        return new CliProblem(ExitCode.OURS, code, cause, remedy);
    }

    public static CliProblem usage(String cause, String remedy) {
        return new CliProblem(ExitCode.USAGE, "usage", cause, remedy);
    }

    public int exitCode() {
        return exitCode;
    }

    public ServiceError error() {
        return new ServiceError(String.valueOf(getMessage()), code, remedy);
    }
}
