package dev.capsem.cli.capgate;

import dev.capsem.policy.Capgate;
import dev.capsem.policy.Compilation;
import dev.capsem.policy.CompileOptions;
import dev.capsem.policy.artifact.Artifact;
import dev.capsem.policy.ir.Element;
import dev.capsem.policy.lowering.LoweringTarget;
import dev.capsem.policy.manifest.Manifest;
import dev.capsem.source.json.JsonValue;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// The capabilities of each tool in a sandbox of its own, and those that the shared one adds.
final class PerTool {
    private PerTool() {}

    static JsonValue artifacts(Compilation union, CompileRequest request, LoweringTarget target, boolean coverage) {
        List<JsonValue> tools = new ArrayList<>();
        // Defaults are already part of the bindings, so every declared parameter has its value here.
        CompileOptions options = request.compile().with(union.bindings());
        for (Manifest.Tool tool : union.manifest().tools()) {
            Compilation own = Capgate.compilation(union.manifest().only(tool), options);
            Artifact artifact = CapgateProgram.lower(own, target, request.lowering());
            Set<Element> granted = new HashSet<>(own.policy().elements());
            List<String> added = union.policy().elements().stream()
                    .filter(element -> !granted.contains(element))
                    .map(Element::print)
                    .toList();
            tools.add(JsonValue.members()
                    .put("tool", tool.name())
                    .put("artifact", coverage ? artifact.toJsonWithCoverage() : artifact.toJson())
                    .put("unionAdds", added)
                    .build());
        }
        return JsonValue.items(tools, tool -> tool);
    }
}
