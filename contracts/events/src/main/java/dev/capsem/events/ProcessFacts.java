package dev.capsem.events;

import java.util.Optional;
import java.util.OptionalLong;

/// The process behind an event.
///
/// @param operation for example `exec`
/// @param commandClass shell, python, javascript, rust, network or other
public record ProcessFacts(
        OptionalLong processId,
        OptionalLong parentProcessId,
        Optional<String> operation,
        Optional<String> commandClass) {
    public static final ProcessFacts NONE =
            new ProcessFacts(OptionalLong.empty(), OptionalLong.empty(), Optional.empty(), Optional.empty());
}
