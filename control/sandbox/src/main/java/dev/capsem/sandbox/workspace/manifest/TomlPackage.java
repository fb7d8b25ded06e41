package dev.capsem.sandbox.workspace.manifest;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Collectors;

/// Manifests in TOML, by the name of their file. What is not named as harmless may be a command: there is a plugin for
/// everything. Dependencies count as harmless, as in `package.json`.
public enum TomlPackage {
    PYTHON("pyproject.toml", """
            project.name project.version project.description project.readme project.requires-python project.license
            project.license-files project.authors project.maintainers project.keywords project.classifiers project.urls
            project.dependencies project.optional-dependencies dependency-groups
            tool.poetry.name tool.poetry.version tool.poetry.description tool.poetry.authors tool.poetry.readme
            tool.poetry.license tool.poetry.dependencies tool.poetry.dev-dependencies tool.poetry.group
            tool.poetry.extras tool.uv.dev-dependencies tool.ruff tool.black tool.isort
            """),
    RUST("cargo.toml", """
            package.name package.version package.edition package.rust-version package.authors package.description
            package.license package.license-file package.readme package.repository package.homepage
            package.documentation package.keywords package.categories package.publish package.include package.exclude
            dependencies dev-dependencies build-dependencies features profile
            workspace.members workspace.dependencies workspace.package workspace.resolver workspace.exclude
            """);

    private static final int NAMED_MAX = 5;

    private final String fileName;
    /// Names of parts, with blanks between them.
    private final String harmless;

    TomlPackage(String fileName, String harmless) {
        this.fileName = fileName;
        this.harmless = harmless.strip();
    }

    /// @param name of a file, in small letters
    public static Optional<TomlPackage> named(String name) {
        return Arrays.stream(values())
                .filter(kind -> kind.fileName.equals(name))
                .findFirst();
    }

    /// Why the change waits; empty when only descriptions and dependencies changed.
    public Optional<String> reason(byte[] before, byte[] after) {
        Map<String, String> old = parts(before).orElse(Map.of());
        Optional<Map<String, String>> now = parts(after);
        if (now.isEmpty()) {
            return Optional.of("it is not plain TOML, so what tools run in it cannot be compared");
        }
        var changed = new TreeSet<>(now.get().keySet());
        changed.addAll(old.keySet());
        changed.removeIf(key -> isHarmless(key)
                || (now.get().containsKey(key) && now.get().get(key).equals(old.get(key))));
        return changed.isEmpty()
                ? Optional.empty()
                : Optional.of("your tools may run what changed in it: "
                        + changed.stream().limit(NAMED_MAX).collect(Collectors.joining(", "))
                        + (changed.size() > NAMED_MAX ? ", …" : ""));
    }

    private boolean isHarmless(String key) {
        return Arrays.stream(harmless.split("\\s+"))
                .anyMatch(prefix -> key.equals(prefix) || key.startsWith(prefix + "."));
    }

    private static Optional<Map<String, String>> parts(byte[] bytes) {
        return TomlParts.of(new String(bytes, StandardCharsets.UTF_8));
    }
}
