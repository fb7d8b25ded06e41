package dev.capsem.cli.token;

import dev.capsem.cli.command.CliProblem;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonShapeException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/// Where clients of the sandbox-server API look for their token: `credentials.json`, readable by its owner only.
record CredentialFile(Path path) {
    static CredentialFile of(Map<String, String> environment) {
        return new CredentialFile(named(environment, "MITOS_CONFIG_DIR")
                .or(() -> named(environment, "HOME")
                        .map(home -> home.resolve(".config").resolve("mitos")))
                .orElseThrow(() ->
                        CliProblem.usage("there is no place for the credential file", "set MITOS_CONFIG_DIR or HOME"))
                .resolve("credentials.json"));
    }

    private static Optional<Path> named(Map<String, String> environment, String name) {
        return Optional.ofNullable(environment.get(name))
                .filter(value -> !value.isEmpty())
                .map(Path::of);
    }

    /// Replaces the token; whatever else the file holds stays.
    void write(String token) {
        Path directory = path.toAbsolutePath().resolveSibling(".").normalize();
        Path fresh = path.resolveSibling(".credentials.json.new");
        try {
            Files.createDirectories(
                    directory, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
            Files.deleteIfExists(fresh);
            Files.createFile(fresh, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            Files.write(fresh, Json.bytes(known().put("token", token)));
            Files.move(fresh, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw CliProblem.of(
                    "credentials_not_written",
                    path + " cannot be written: " + e.getMessage(),
                    "set MITOS_CONFIG_DIR to a directory of yours");
        }
    }

    /// A file that is damaged holds nothing worth keeping.
    private ObjectNode known() throws IOException {
        try {
            if (Files.isRegularFile(path) && Json.parse(Files.readAllBytes(path)) instanceof ObjectNode object) {
                return object;
            }
        } catch (JsonShapeException e) {
            return Json.object();
        }
        return Json.object();
    }
}
