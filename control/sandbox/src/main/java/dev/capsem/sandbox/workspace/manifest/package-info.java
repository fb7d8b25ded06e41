/// Manifests of packages whose parts matter: some describe, others are run by a package manager or an editor. Entry
/// type: [TomlPackage]. Pure: knows nothing of files, and of no other package here.
@NullMarked
package dev.capsem.sandbox.workspace.manifest;

import org.jspecify.annotations.NullMarked;
