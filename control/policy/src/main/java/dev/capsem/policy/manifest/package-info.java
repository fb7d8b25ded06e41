/// The manifest: what a server calls itself, which tools it has, which capability strings they declare, and the
/// parameters those strings may use.
///
/// Read [dev.capsem.policy.manifest.ManifestReader] first, then [dev.capsem.policy.manifest.ManifestGrantReader], which
/// turns declared strings into grants that remember who asked for them. Depends on `grammar`, `diagnostic` and `json`.
@NullMarked
package dev.capsem.policy.manifest;

import org.jspecify.annotations.NullMarked;
