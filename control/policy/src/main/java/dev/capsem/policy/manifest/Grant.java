package dev.capsem.policy.manifest;

import dev.capsem.policy.grammar.Capability;
import java.util.Optional;

/// A capability with the string that declared it and the tool it belongs to (none for the whole server).
public record Grant(Capability capability, Manifest.Declared declared, Optional<String> tool) {
    /// For people: `tool 'x'` or `the server`.
    public String owner() {
        return tool.map(name -> "tool '" + name + "'").orElse("the server");
    }
}
