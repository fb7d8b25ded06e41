package dev.capsem.process.mcp;

import dev.capsem.sandbox.trust.GuestTrust;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// The profile's extra authorities as programs of MCP servers find them: alone, for those that add them to roots of
/// their own, and together with the host's, for those that read one file and nothing else.
record ProgramTrust(Path extra, Path bundle) {
    private static final List<Path> HOST_BUNDLES = List.of(
            Path.of("/etc/ssl/certs/ca-certificates.crt"),
            Path.of("/etc/pki/tls/certs/ca-bundle.crt"),
            Path.of("/etc/ssl/ca-bundle.pem"));

    /// @param extra the extra authorities, in a directory that programs may read
    static ProgramTrust of(Path extra) throws IOException {
        StringBuilder all = new StringBuilder();
        for (Path host : HOST_BUNDLES) {
            if (all.isEmpty() && Files.isReadable(host)) {
                all.append(Files.readString(host, StandardCharsets.UTF_8)).append('\n');
            }
        }
        Path bundle = extra.resolveSibling("all.pem");
        Files.writeString(bundle, all.append(Files.readString(extra, StandardCharsets.UTF_8)));
        return new ProgramTrust(extra, bundle);
    }

    /// The variables that clients in a sandbox find, too. Java reads no such file: its programs bring their own store.
    Map<String, String> environment() {
        Map<String, String> environment = new HashMap<>();
        GuestTrust.environment().forEach((name, value) -> {
            if (value.equals(GuestTrust.BUNDLE)) {
                environment.put(name, bundle.toString());
            } else if (value.equals(GuestTrust.CERTIFICATE)) {
                environment.put(name, extra.toString());
            }
        });
        return environment;
    }
}
