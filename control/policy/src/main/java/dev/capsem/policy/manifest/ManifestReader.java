package dev.capsem.policy.manifest;

import dev.capsem.policy.diagnostic.Code;
import dev.capsem.policy.diagnostic.CompilationError;
import dev.capsem.policy.diagnostic.Diagnostic;
import dev.capsem.policy.diagnostic.Location;
import dev.capsem.policy.grammar.CapabilityParser;
import dev.capsem.source.LineIndex;
import dev.capsem.source.Position;
import dev.capsem.source.json.JsonValue;
import dev.capsem.source.json.ParsedJson;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Checks the shape of a JSON document and gives the manifest in it, as far as it could be read.
///
/// Faults are added to the given [Diagnostics] in the order of the grammar reference, so the first one found is the one
/// whose code decides. What could be read is returned even then: its capabilities are checked in the same run.
public final class ManifestReader {
    private final ParsedJson document;
    private final LineIndex lines;
    private final Diagnostics problems;

    private ManifestReader(ParsedJson document, Diagnostics problems) {
        this.document = document;
        this.lines = document.lines();
        this.problems = problems;
    }

    public static Manifest read(ParsedJson document, Diagnostics problems) {
        return new ManifestReader(document, problems).manifest();
    }

    private Manifest manifest() {
        for (ParsedJson.Duplicate duplicate : document.duplicates()) {
            problems.addIfRoom(() -> Diagnostic.of(
                            Code.MANIFEST_DUPLICATE_KEY, "the member '" + duplicate.name() + "' occurs twice; keep one")
                    .at(place(duplicate.offset(), duplicate.pointer())));
        }
        if (!(document.root() instanceof JsonValue.Members root)) {
            shape(document.root(), "", "the manifest is not a JSON object");
            return new Manifest("", "", List.of(), List.of(), List.of());
        }
        checkGrammar(root);
        String name = requiredText(root, root, "name", "/name", "name");
        String version = requiredText(root, root, "version", "/version", "version");
        Optional<JsonValue> toolsValue = root.get("tools");
        Optional<JsonValue.Items> tools = requiredItems(root, toolsValue, "/tools", "tools");
        List<Manifest.Declared> server = serverCapabilities(root);
        List<Manifest.Tool> toolList = tools.map(items -> tools(items.list())).orElse(List.of());
        return new Manifest(name, version, server, toolList, parameters(root));
    }

    private void checkGrammar(JsonValue.Members root) {
        Optional<JsonValue> grammar = root.get("grammar");
        if (grammar.isEmpty()) {
            return;
        }
        if (!(grammar.get() instanceof JsonValue.Text text)) {
            shape(grammar.get(), "/grammar", "\"grammar\" is not a string");
            return;
        }
        if (!text.value().equals(CapabilityParser.GRAMMAR_VERSION)) {
            problems.add(Diagnostic.of(
                            Code.GRAMMAR_VERSION_MISMATCH,
                            "the manifest asks for grammar '" + text.value() + "', this compiler speaks '"
                                    + CapabilityParser.GRAMMAR_VERSION + "'")
                    .with(JsonValue.members()
                            .put("declared", text.value())
                            .put("supported", CapabilityParser.GRAMMAR_VERSION)
                            .build())
                    .at(place(text.offset(), "/grammar")));
        }
    }

    private List<Manifest.Declared> serverCapabilities(JsonValue.Members root) {
        Optional<JsonValue> value = root.get("serverCapabilities");
        if (value.isEmpty() || value.get() instanceof JsonValue.Null) {
            return List.of();
        }
        if (!(value.get() instanceof JsonValue.Items items)) {
            shape(value.get(), "/serverCapabilities", "\"serverCapabilities\" is not an array");
            return List.of();
        }
        List<Manifest.Declared> declared = new ArrayList<>();
        for (int i = 0; i < items.list().size(); i++) {
            JsonValue item = items.list().get(i);
            String pointer = "/serverCapabilities/" + i;
            if (item instanceof JsonValue.Text text) {
                declared.add(declared(text, pointer));
            } else {
                shape(
                        item,
                        pointer,
                        "serverCapabilities[" + i + "] is not a string",
                        JsonValue.members().put("index", i).put("value", item).build());
            }
        }
        return declared;
    }

    private List<Manifest.Tool> tools(List<JsonValue> list) {
        List<Manifest.Tool> tools = new ArrayList<>(list.size());
        for (int i = 0; i < list.size(); i++) {
            String pointer = "/tools/" + i;
            if (list.get(i) instanceof JsonValue.Members tool) {
                tools.add(tool(tool, i, pointer));
            } else {
                shape(list.get(i), pointer, "tools[" + i + "] is not an object");
            }
        }
        return tools;
    }

    private Manifest.Tool tool(JsonValue.Members tool, int index, String pointer) {
        String name = requiredText(tool, tool, "name", pointer + "/name", "tools[" + index + "].name");
        Optional<JsonValue.Items> items = requiredItems(
                tool, tool.get("capabilities"), pointer + "/capabilities", "tools[" + index + "].capabilities");
        List<Manifest.Declared> declared = new ArrayList<>();
        List<JsonValue> list = items.map(JsonValue.Items::list).orElse(List.of());
        for (int j = 0; j < list.size(); j++) {
            JsonValue item = list.get(j);
            String place = pointer + "/capabilities/" + j;
            if (item instanceof JsonValue.Text text) {
                declared.add(declared(text, place));
            } else {
                shape(
                        item,
                        place,
                        "tools[" + index + "].capabilities[" + j + "] is not a string",
                        JsonValue.members()
                                .put("toolIndex", index)
                                .put("capIndex", j)
                                .put("value", item)
                                .build());
            }
        }
        return new Manifest.Tool(name, declared);
    }

    private List<Parameter> parameters(JsonValue.Members root) {
        Optional<JsonValue> value = root.get("parameters");
        if (value.isEmpty()) {
            return List.of();
        }
        if (!(value.get() instanceof JsonValue.Members members)) {
            shape(value.get(), "/parameters", "\"parameters\" is not an object");
            return List.of();
        }
        List<Parameter> parameters = new ArrayList<>();
        for (Map.Entry<String, JsonValue> entry : members.map().entrySet()) {
            parameter(entry.getKey(), entry.getValue()).ifPresent(parameters::add);
        }
        return parameters;
    }

    private Optional<Parameter> parameter(String name, JsonValue value) {
        Location place =
                place(value.offset(), "/parameters/" + name.replace("~", "~0").replace("/", "~1"));
        Optional<Parameter.Type> type = value instanceof JsonValue.Members members
                ? members.get("type").flatMap(ManifestReader::text).flatMap(Parameter.Type::of)
                : Optional.empty();
        if (type.isEmpty()) {
            problems.add(Diagnostic.of(
                            Code.PARAM_SHAPE,
                            "parameter '" + name + "' needs a \"type\": path, paths, host, port, binary or variable")
                    .at(place));
            return Optional.empty();
        }
        Optional<JsonValue> fallback = ((JsonValue.Members) value).get("default");
        if (fallback.isPresent() && !(fallback.get() instanceof JsonValue.Text)) {
            problems.add(Diagnostic.of(Code.PARAM_SHAPE, "the \"default\" of parameter '" + name + "' is not a string")
                    .at(place));
            return Optional.empty();
        }
        try {
            return Optional.of(new Parameter(name, type.get(), fallback.flatMap(ManifestReader::text)));
        } catch (CompilationError e) {
            e.problems().forEach(problem -> problems.add(problem.at(place)));
            return Optional.empty();
        }
    }

    private static Optional<String> text(JsonValue value) {
        return value instanceof JsonValue.Text text ? Optional.of(text.value()) : Optional.empty();
    }

    private String requiredText(
            JsonValue.Members holder, JsonValue around, String member, String pointer, String label) {
        Optional<JsonValue> value = holder.get(member);
        if (value.isPresent()
                && value.get() instanceof JsonValue.Text text
                && !text.value().isEmpty()) {
            return text.value();
        }
        shape(value.orElse(around), pointer, label + " is missing, empty or not a string");
        return "";
    }

    private Optional<JsonValue.Items> requiredItems(
            JsonValue around, Optional<JsonValue> value, String pointer, String label) {
        if (value.isPresent() && value.get() instanceof JsonValue.Items items) {
            return Optional.of(items);
        }
        shape(value.orElse(around), pointer, label + " is missing or not an array");
        return Optional.empty();
    }

    private Manifest.Declared declared(JsonValue.Text text, String pointer) {
        return new Manifest.Declared(text.value(), Optional.of(place(text.offset(), pointer)));
    }

    private void shape(JsonValue value, String pointer, String text) {
        shape(value, pointer, text, JsonValue.members().build());
    }

    private void shape(JsonValue value, String pointer, String text, JsonValue.Members context) {
        problems.addIfRoom(
                () -> Diagnostic.of(Code.MANIFEST_SHAPE, text).with(context).at(place(value.offset(), pointer)));
    }

    private Location place(int offset, String pointer) {
        Position place = lines.position(offset);
        return new Location(place.line(), place.column(), pointer);
    }
}
