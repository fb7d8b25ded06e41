/// Package registries as the host's own clients report them. Entry type: `RegistryDetection`, which asks npm,
/// pip, apt, Maven and cargo through the port `HostClients`, and `Registry`, from which `RegistryRules` makes
/// rules. None is known in advance, so a company's mirrors work like any other. No IO.
@NullMarked
package dev.capsem.profiles.registry;

import org.jspecify.annotations.NullMarked;
