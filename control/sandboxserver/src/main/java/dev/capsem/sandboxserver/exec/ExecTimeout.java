package dev.capsem.sandboxserver.exec;

import dev.capsem.sandboxserver.protocol.ApiProblem;
import java.util.OptionalLong;

/// How long a command may take. What is asked for is honoured or refused, never shortened.
public record ExecTimeout(int seconds) {
    /// A build or a test suite fits; what hangs does not hang for ever.
    static final int DEFAULT_SECONDS = 300;

    static final int SECONDS_MAX = 86_400;

    /// Nothing or 0 means the default.
    public static ExecTimeout of(OptionalLong asked) {
        long seconds = asked.orElse(0);
        if (seconds > SECONDS_MAX) {
            throw new ApiProblem(
                            ApiProblem.Code.TIMEOUT_TOO_LARGE,
                            "a command may take " + SECONDS_MAX + " seconds at most",
                            "ask for less, or run it in the background")
                    .with("requested_s", seconds)
                    .with("max_timeout_s", SECONDS_MAX);
        }
        if (seconds < 0) {
            throw new ApiProblem(
                    ApiProblem.Code.INVALID_INPUT, "timeout is negative", "leave it out for " + DEFAULT_SECONDS);
        }
        return new ExecTimeout(seconds == 0 ? DEFAULT_SECONDS : (int) seconds);
    }
}
