package dev.capsem.sandbox.bwrap;

import java.nio.file.Path;

/// Where the driver's programs and its template are.
///
/// @param launcher the static program capsem-launch
/// @param agent the static program capsem-agent
/// @param bwrap bubblewrap; a bare name is looked up on PATH
/// @param templates the directory of base templates, one below it per state of the host and per authority
/// @param authority a private authority's certificate that sandboxes trust; if it is not there, the built-in one
public record BwrapFiles(Path launcher, Path agent, Path bwrap, Path templates, Path authority) {
    /// Where starts are tried out. Not among the templates: those that nobody holds are removed at any time.
    Path trials() {
        return templates.resolveSibling("trial");
    }

    /// @param dist the built programs (system property `capsem.dist`)
    /// @param home `$CAPSEM_HOME`
    public static BwrapFiles in(Path dist, Path home) {
        return new BwrapFiles(
                dist.resolve("libexec/capsem-launch"),
                dist.resolve("libexec/capsem-agent"),
                Path.of("bwrap"),
                home.resolve("template"),
                home.resolve("ca/capsem-ca.crt"));
    }
}
