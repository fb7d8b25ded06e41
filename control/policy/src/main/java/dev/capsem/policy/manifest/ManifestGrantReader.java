package dev.capsem.policy.manifest;

import dev.capsem.policy.diagnostic.Code;
import dev.capsem.policy.diagnostic.CompilationError;
import dev.capsem.policy.diagnostic.Diagnostic;
import dev.capsem.policy.grammar.CapabilityParser;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// Binds parameters and reads every declared string, server first and then the tools in order.
public final class ManifestGrantReader {
    /// Ten times the largest manifest anyone has shown; keeps time and memory bounded for hostile ones.
    public static final int GRANTS_MAX = 500_000;

    private final Diagnostics problems;
    private final Map<String, Parameter> parameters = new LinkedHashMap<>();
    private final Map<String, List<String>> values = new LinkedHashMap<>();
    private final List<Grant> grants = new ArrayList<>();

    private ManifestGrantReader(Diagnostics problems) {
        this.problems = problems;
    }

    /// What was read, and the value of every declared parameter, defaults included.
    public record Grants(List<Grant> list, Bindings bindings) {
        public Grants {
            list = List.copyOf(list);
        }
    }

    public static Grants read(Manifest manifest, Bindings bindings, Diagnostics problems) {
        ManifestGrantReader reader = new ManifestGrantReader(problems);
        reader.bind(manifest, bindings);
        manifest.serverCapabilities().forEach(declared -> reader.read(declared, Optional.empty()));
        for (Manifest.Tool tool : manifest.tools()) {
            tool.capabilities().forEach(declared -> reader.read(declared, Optional.of(tool.name())));
        }
        return new Grants(reader.grants, new Bindings(reader.values));
    }

    private void bind(Manifest manifest, Bindings bindings) {
        manifest.parameters().forEach(parameter -> parameters.put(parameter.name(), parameter));
        for (String name : bindings.values().keySet()) {
            if (!parameters.containsKey(name)) {
                problems.add(Diagnostic.of(
                        Code.PARAM_UNKNOWN, "the manifest declares no parameter '" + name + "'; remove the value"));
            }
        }
        for (Parameter parameter : manifest.parameters()) {
            List<String> given = bindings.values()
                    .getOrDefault(
                            parameter.name(), parameter.fallback().stream().toList());
            if (given.isEmpty()) {
                problems.add(Diagnostic.of(
                        Code.PARAM_UNBOUND,
                        "parameter '" + parameter.name() + "' has no value; bind it with --param " + parameter.name()
                                + "=VALUE"));
                continue;
            }
            try {
                parameter.check(given);
                values.put(parameter.name(), given);
            } catch (CompilationError e) {
                e.problems().forEach(problems::add);
            }
        }
    }

    private void read(Manifest.Declared declared, Optional<String> tool) {
        try {
            for (Map<String, String> assignment : assignments(declared.text())) {
                if (grants.size() == GRANTS_MAX) {
                    throw new CompilationError(
                            Code.MANIFEST_TOO_LARGE, "the manifest holds more than " + GRANTS_MAX + " capabilities");
                }
                grants.add(new Grant(CapabilityParser.parse(declared.text(), assignment), declared, tool));
            }
        } catch (CompilationError e) {
            problems.add(e, declared);
        }
    }

    /// One assignment for most strings; one for each path when a `paths` parameter is used.
    private List<Map<String, String>> assignments(String text) {
        Set<String> names = CapabilityParser.placeholders(text);
        if (names.isEmpty()) {
            return List.of(Map.of());
        }
        List<Map<String, String>> assignments = new ArrayList<>(List.of(Map.of()));
        boolean several = false;
        for (String name : names) {
            if (!parameters.containsKey(name)) {
                return List.of(Map.of());
            }
            List<String> list = values.getOrDefault(name, List.of());
            if (list.size() > 1 && several) {
                throw new CompilationError(
                        Code.PARAM_SHAPE, "'" + text + "' uses two parameters with several values; use one");
            }
            several |= list.size() > 1;
            assignments = extend(assignments, name, list);
        }
        return assignments;
    }

    private static List<Map<String, String>> extend(
            List<Map<String, String>> assignments, String name, List<String> list) {
        List<Map<String, String>> next = new ArrayList<>();
        for (Map<String, String> assignment : assignments) {
            for (String value : list) {
                Map<String, String> extended = new LinkedHashMap<>(assignment);
                extended.put(name, value);
                next.add(extended);
            }
        }
        return next;
    }
}
