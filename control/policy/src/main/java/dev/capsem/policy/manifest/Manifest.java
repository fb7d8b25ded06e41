package dev.capsem.policy.manifest;

import dev.capsem.policy.diagnostic.Location;
import dev.capsem.source.json.JsonValue;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/// A server and what it declares. Tool descriptions and input schemas are not kept: they grant nothing.
public record Manifest(
        String name, String version, List<Declared> serverCapabilities, List<Tool> tools, List<Parameter> parameters) {

    public Manifest {
        serverCapabilities = List.copyOf(serverCapabilities);
        tools = List.copyOf(tools);
        parameters = List.copyOf(parameters);
    }

    /// A capability string as written, and where it stands when it came from a file.
    public record Declared(String text, Optional<Location> location) {
        public static Declared of(String text) {
            return new Declared(text, Optional.empty());
        }
    }

    public record Tool(String name, List<Declared> capabilities) {
        public Tool {
            capabilities = List.copyOf(capabilities);
        }

        public static Tool of(String name, String... capabilities) {
            return new Tool(name, Arrays.stream(capabilities).map(Declared::of).toList());
        }
    }

    /// For callers that build a manifest in code.
    public static Manifest of(String name, String version, Tool... tools) {
        return new Manifest(name, version, List.of(), List.of(tools), List.of());
    }

    public Manifest withServerCapabilities(String... capabilities) {
        List<Declared> declared = Arrays.stream(capabilities).map(Declared::of).toList();
        return new Manifest(name, version, declared, tools, parameters);
    }

    public Manifest withParameters(Parameter... declared) {
        return new Manifest(name, version, serverCapabilities, tools, List.of(declared));
    }

    /// The manifest as if it had this one tool; server capabilities stay, since they apply to every tool.
    public Manifest only(Tool tool) {
        return new Manifest(name, version, serverCapabilities, List.of(tool), parameters);
    }

    /// What the manifest hash covers. Bound parameters are part of it only when there are any, so a manifest without
    /// parameters hashes as it always did.
    public JsonValue.Members projection(Bindings bindings) {
        List<JsonValue> toolList = new ArrayList<>(tools.size());
        for (Tool tool : tools) {
            toolList.add(JsonValue.members()
                    .put("name", tool.name())
                    .put("capabilities", texts(tool.capabilities()))
                    .build());
        }
        JsonValue.Builder projection = JsonValue.members()
                .put("name", name)
                .put("version", version)
                .put("serverCapabilities", texts(serverCapabilities))
                .put("tools", JsonValue.items(toolList, tool -> tool));
        if (!parameters.isEmpty()) {
            JsonValue.Builder bound = JsonValue.members();
            bindings.values().forEach(bound::put);
            projection.put("parameters", bound);
        }
        return projection.build();
    }

    private static JsonValue texts(List<Declared> declared) {
        return JsonValue.items(declared, d -> JsonValue.of(d.text()));
    }
}
