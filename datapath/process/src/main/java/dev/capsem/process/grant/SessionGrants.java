package dev.capsem.process.grant;

import dev.capsem.broker.Grants;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The grants of a session in one revision.
///
/// @param environment stand-ins by the variable that holds them
/// @param expires when a value must be fetched again
public record SessionGrants(
        Grants grants, Map<String, String> environment, List<FileInside> files, Optional<Instant> expires) {
    public static final SessionGrants NONE = new SessionGrants(Grants.NONE, Map.of(), List.of(), Optional.empty());

    /// A file that shows a stand-in.
    ///
    /// @param former what the sandbox that this one is a fork of has there
    public record FileInside(String path, String text, Optional<String> former) {}

    public SessionGrants {
        environment = Map.copyOf(environment);
        files = List.copyOf(files);
    }
}
