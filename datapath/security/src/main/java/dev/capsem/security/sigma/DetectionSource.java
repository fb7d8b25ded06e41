package dev.capsem.security.sigma;

/// A file of Sigma rules as text.
///
/// @param name shown in messages
/// @param pack the id that findings carry
public record DetectionSource(String name, String pack, String text) {
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
