package dev.capsem.cli.command;

/// The exit codes of `capsem`, beside the guest command's own.
public final class ExitCode {
    public static final int DONE = 0;
    /// The answer is no: a broken record, refused changes, a service that does not run.
    public static final int NO = 1;
    /// The command line makes no sense.
    public static final int USAGE = 2;
    /// We failed, not the guest: no service, no such sandbox, no permission.
    public static final int OURS = 125;
    /// A rule blocked the guest command: as a shell answers for what may not be run.
    public static final int BLOCKED = 126;

    /// What the service calls that.
    public static final String BLOCKED_CODE = "blocked";

    /// Nobody reads our output any more (128 + SIGPIPE).
    public static final int OUTPUT_CLOSED = 141;

    private ExitCode() {}
}
