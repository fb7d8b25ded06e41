/// Facts about persistent sandboxes that survive restarts: `run/persistent_registry.json`. Entry type:
/// [dev.capsem.service.registry.PersistentRegistry]. Holds facts, decides nothing.
@NullMarked
package dev.capsem.service.registry;

import org.jspecify.annotations.NullMarked;
