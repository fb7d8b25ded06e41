package dev.capsem.events.row;

import java.util.Optional;

/// The program inside the sandbox that acts, as the guest tells it. It can be forged: it may narrow what a rule allows,
/// and never be what a rule allows something for.
///
/// @param name of the process, such as `git`
/// @param path of its executable, such as `/usr/bin/git`
/// @param script that it runs, if it is an interpreter, such as `/usr/bin/gemini`
public record ClaimedCaller(Optional<String> name, Optional<String> path, Optional<String> script) {
    public static final ClaimedCaller UNKNOWN = new ClaimedCaller(Optional.empty(), Optional.empty());

    public ClaimedCaller(Optional<String> name, Optional<String> path) {
        this(name, path, Optional.empty());
    }
}
