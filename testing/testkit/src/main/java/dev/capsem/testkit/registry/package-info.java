/// Package registries with one package each, in the protocols of npm and pip. Entry type: `PackageRegistry`.
@NullMarked
package dev.capsem.testkit.registry;

import org.jspecify.annotations.NullMarked;
