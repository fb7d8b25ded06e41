package dev.capsem.process.approve;

import java.time.Duration;
import java.util.Map;
import java.util.function.BooleanSupplier;

/// How long questions wait.
///
/// @param max while somebody watches; then a question is refused
/// @param unwatched whether they wait as long while nobody does
public record Patience(Duration max, BooleanSupplier unwatched) {
    private static final Duration WAIT_MAX = Duration.ofMinutes(2);

    private static final String WAIT_VARIABLE = "CAPSEM_APPROVAL_TIMEOUT_SECS";

    /// As the environment says, in whole seconds above zero, but never longer than usual.
    public static Patience in(Map<String, String> environment, BooleanSupplier unwatched) {
        return new Patience(max(environment.getOrDefault(WAIT_VARIABLE, "")), unwatched);
    }

    private static Duration max(String text) {
        if (!text.matches("[0-9]{1,6}") || text.matches("0+")) {
            return WAIT_MAX;
        }
        Duration wanted = Duration.ofSeconds(Long.parseLong(text));
        return wanted.compareTo(WAIT_MAX) > 0 ? WAIT_MAX : wanted;
    }
}
