package dev.capsem.profiles.registry;

import java.util.List;
import java.util.Optional;

/// The host's package managers and their files.
public interface HostClients {
    /// The output of a program; empty if it is not installed, fails or takes too long.
    Optional<String> ask(List<String> command);

    /// The text of a file below the person's home; empty if it cannot be read.
    Optional<String> file(String path);

    /// The names in a directory below the person's home; none if it cannot be read.
    List<String> names(String directory);

    /// The text of an entry of the first jar whose path has this form (`*` for any name); empty if there is none.
    Optional<String> jarEntry(String jarPattern, String entry);
}
