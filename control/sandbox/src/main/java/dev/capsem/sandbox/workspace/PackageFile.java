package dev.capsem.sandbox.workspace;

import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonShapeException;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import tools.jackson.databind.JsonNode;

/// What changed in a `package.json`, as far as a package manager or one of its plugins may run it. Pure.
final class PackageFile {
    /// Descriptions and dependencies. Whatever is not named here may be a command: there is a plugin for everything.
    private static final Set<String> HARMLESS = Set.of(
            "name",
            "version",
            "description",
            "keywords",
            "license",
            "author",
            "authors",
            "contributors",
            "funding",
            "homepage",
            "bugs",
            "repository",
            "private",
            "dependencies",
            "devDependencies",
            "peerDependencies",
            "peerDependenciesMeta",
            "optionalDependencies",
            "bundledDependencies",
            "overrides",
            "resolutions",
            "require",
            "require-dev",
            "engines",
            "os",
            "cpu",
            "files",
            "main",
            "module",
            "types",
            "typings",
            "exports",
            "imports",
            "type",
            "browser",
            "sideEffects");

    private PackageFile() {}

    /// Why the change waits; empty when only descriptions and dependencies changed.
    static Optional<String> reason(byte[] before, byte[] after) {
        Optional<JsonNode> old = parsed(before);
        Optional<JsonNode> now = parsed(after);
        if (now.isEmpty()) {
            return Optional.of("it is not one JSON object, so its scripts cannot be compared");
        }
        var members = new TreeSet<>(now.get().propertyNames());
        old.ifPresent(node -> members.addAll(node.propertyNames()));
        members.removeIf(name -> HARMLESS.contains(name)
                || now.get().path(name).equals(old.map(node -> node.path(name)).orElse(null)));
        return members.isEmpty()
                ? Optional.empty()
                : Optional.of("your package manager may run what changed in it: " + String.join(", ", members));
    }

    private static Optional<JsonNode> parsed(byte[] text) {
        try {
            return Optional.of(Json.parse(text)).filter(JsonNode::isObject);
        } catch (JsonShapeException noJson) {
            return Optional.empty();
        }
    }
}
