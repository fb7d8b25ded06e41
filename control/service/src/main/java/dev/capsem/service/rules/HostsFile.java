package dev.capsem.service.rules;

import dev.capsem.events.address.ThisHost;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/// The names that this host knows by itself. Looking there sends nothing, so it may be done for names that a guest
/// chose and nobody has approved yet.
public record HostsFile(Path file) {
    /// Later lines of a longer file are not looked at.
    private static final int LINES_MAX = 10_000;

    /// Where the name leads. Empty if the file does not say, or cannot be read.
    Optional<InetAddress> address(String name) {
        try (var lines = Files.lines(file)) {
            return lines.limit(LINES_MAX)
                    .map(line -> List.of(line.replaceFirst("#.*", "").strip().split("\\s+")))
                    .filter(words -> words.stream().skip(1).anyMatch(name::equalsIgnoreCase))
                    .flatMap(words -> literal(words.getFirst()).stream())
                    .findFirst()
                    .or(() -> thisHost(name));
        } catch (IOException | UncheckedIOException unreadable) {
            return thisHost(name);
        }
    }

    private static Optional<InetAddress> thisHost(String name) {
        return ThisHost.NAMES.contains(name) ? Optional.of(ThisHost.ADDRESS) : Optional.empty();
    }

    private static Optional<InetAddress> literal(String text) {
        try {
            return Optional.of(InetAddress.ofLiteral(text));
        } catch (IllegalArgumentException notOne) {
            return Optional.empty();
        }
    }
}
