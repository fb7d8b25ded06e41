package dev.capsem.security.sigma;

import java.util.Optional;

/// A file of Sigma rules as text.
///
/// @param name shown in messages
/// @param id under which findings are reported, if its author chose one; else each rule's title gives its own
/// @param pack the pack that findings carry
public record DetectionSource(String name, Optional<String> id, String pack, String text) {
    public DetectionSource(String name, String pack, String text) {
        this(name, Optional.empty(), pack, text);
    }

    public DetectionSource {
        if (name.isBlank() || pack.isBlank()) {
            throw new IllegalArgumentException("a source has a name and a pack");
        }
    }

    @Override
    public String toString() {
        return "DetectionSource[" + name + "]";
    }
}
