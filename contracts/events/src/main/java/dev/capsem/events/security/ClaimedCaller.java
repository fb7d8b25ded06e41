package dev.capsem.events.security;

import java.util.Optional;

/// The program inside the sandbox that acts, as the guest tells it. It can be forged: it may narrow what a rule allows,
/// and never be what a rule allows something for.
///
/// @param name of the process, such as `git`
/// @param path of its executable, such as `/usr/bin/git`
public record ClaimedCaller(Optional<String> name, Optional<String> path) {
    public static final ClaimedCaller UNKNOWN = new ClaimedCaller(Optional.empty(), Optional.empty());
}
