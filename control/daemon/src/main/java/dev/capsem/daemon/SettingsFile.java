package dev.capsem.daemon;

import dev.capsem.service.limits.ServiceSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.tomlj.Toml;
import org.tomlj.TomlInvalidTypeException;
import org.tomlj.TomlParseResult;

/// Reads `service.toml`. Absent keys keep the host's defaults; a file that says nonsense stops the service rather
/// than letting it run with other limits than its owner wrote.
final class SettingsFile {
    private SettingsFile() {}

    /// Throws IllegalArgumentException with the position of what is wrong.
    static ServiceSettings read(Path file, ServiceSettings defaults) throws IOException {
        if (!Files.exists(file)) {
            return defaults;
        }
        TomlParseResult toml = Toml.parse(file);
        if (toml.hasErrors()) {
            throw new IllegalArgumentException(file + ": " + toml.errors().getFirst());
        }
        try {
            return new ServiceSettings(
                    integer(toml, "sandboxes_max").orElse(defaults.sandboxesMax()),
                    integer(toml, "spare_processes").orElse(defaults.spareProcesses()),
                    integer(toml, "starts_at_once_max").orElse(defaults.startsAtOnceMax()),
                    integer(toml, "ram_mb").orElse(defaults.memoryMbDefault()),
                    integer(toml, "cpus").orElse(defaults.cpusDefault()),
                    integer(toml, "disk_mb").orElse(defaults.diskMbDefault()),
                    integer(toml, "disk_free_mb").orElse(defaults.diskFreeMb()));
        } catch (TomlInvalidTypeException | ArithmeticException | IllegalArgumentException e) {
            throw new IllegalArgumentException(file + ": " + e.getMessage(), e);
        }
    }

    private static Optional<Integer> integer(TomlParseResult toml, String key) {
        return Optional.ofNullable(toml.getLong(key)).map(Math::toIntExact);
    }
}
