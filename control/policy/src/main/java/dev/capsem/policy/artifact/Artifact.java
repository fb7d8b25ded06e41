package dev.capsem.policy.artifact;

import dev.capsem.policy.ir.ArtifactProvenance;
import dev.capsem.policy.ir.Element;
import dev.capsem.policy.ir.Policy;
import dev.capsem.source.json.JsonValue;
import dev.capsem.source.json.JsonWriter;
import java.util.List;
import java.util.Optional;

/// What a lowering gives: something a program outside can be handed, and what a reviewer needs to know about it.
public sealed interface Artifact {
    List<String> notes();

    List<Coverage> coverage();

    /// The artifact as published: fields in their documented order, coverage only where it is part of the shape.
    JsonValue.Members toJson();

    /// The part that the enforcing program reads: a configuration text, a document, or one argument a line.
    String raw();

    /// The published form with the coverage table added at the end.
    default JsonValue.Members toJsonWithCoverage() {
        return JsonValue.members()
                .putAll(toJson())
                .put("coverage", JsonValue.items(coverage(), Coverage::toJson))
                .build();
    }

    /// Flags for a program that starts the server, as bwrap and docker take them.
    record SandboxArtifact(
            List<String> argv,
            List<Element.NetRule> egress,
            List<String> envInjections,
            List<Element.Assertion> assertions,
            Optional<ArtifactProvenance> provenance,
            List<String> notes,
            List<Coverage> coverage)
            implements Artifact {
        public SandboxArtifact {
            argv = List.copyOf(argv);
            egress = List.copyOf(egress);
            envInjections = List.copyOf(envInjections);
            assertions = List.copyOf(assertions);
            notes = List.copyOf(notes);
            coverage = List.copyOf(coverage);
        }

        @Override
        public JsonValue.Members toJson() {
            JsonValue.Builder json = JsonValue.members()
                    .put("argv", argv)
                    .put("egress", JsonValue.items(egress, Element::toJson))
                    .put("envInjections", envInjections)
                    .put("assertions", JsonValue.items(assertions, Element::toJson));
            provenance.ifPresent(block -> json.put("provenance", block.toJson()));
            return json.put("notes", notes).build();
        }

        @Override
        public String raw() {
            return String.join("\n", argv);
        }
    }

    /// A configuration for a proxy or packet filter.
    record EgressArtifact(
            String target,
            String config,
            String filename,
            List<Refused> unenforceable,
            Optional<ArtifactProvenance> provenance,
            List<String> notes,
            List<Coverage> coverage)
            implements Artifact {
        /// A rule the mechanism cannot express. It is not let through either: the default is to refuse.
        public record Refused(Element.NetRule rule, String reason) {}

        public EgressArtifact {
            unenforceable = List.copyOf(unenforceable);
            notes = List.copyOf(notes);
            coverage = List.copyOf(coverage);
        }

        @Override
        public JsonValue.Members toJson() {
            JsonValue.Builder json = JsonValue.members()
                    .put("target", target)
                    .put("config", config)
                    .put("filename", filename)
                    .put(
                            "unenforceable",
                            JsonValue.items(
                                    unenforceable,
                                    refused -> JsonValue.members()
                                            .put("rule", refused.rule().toJson())
                                            .put("reason", refused.reason())
                                            .build()));
            provenance.ifPresent(block -> json.put("provenance", block.toJson()));
            return json.put("notes", notes).build();
        }

        @Override
        public String raw() {
            return config;
        }
    }

    /// A document in another tool's own format. `config` is a JSON value where the tool reads JSON or YAML, else text.
    record DocumentArtifact(
            String target,
            JsonValue config,
            String filename,
            List<Element.NetRule> egress,
            List<String> envInjections,
            List<Element.Assertion> assertions,
            List<Coverage> coverage,
            Optional<ArtifactProvenance> provenance,
            List<String> notes)
            implements Artifact {
        public DocumentArtifact {
            egress = List.copyOf(egress);
            envInjections = List.copyOf(envInjections);
            assertions = List.copyOf(assertions);
            coverage = List.copyOf(coverage);
            notes = List.copyOf(notes);
        }

        public static DocumentArtifact of(
                String target, JsonValue config, String filename, Policy policy, List<Coverage> coverage, Notes notes) {
            return new DocumentArtifact(
                    target,
                    config,
                    filename,
                    policy.net(),
                    policy.env().stream().map(Element.EnvRule::name).toList(),
                    policy.assertions(),
                    coverage,
                    policy.provenance(),
                    notes.list());
        }

        @Override
        public JsonValue.Members toJson() {
            List<Coverage> unenforceable = coverage.stream()
                    .filter(row -> row.status() == Coverage.Status.UNENFORCEABLE)
                    .toList();
            JsonValue.Builder json = JsonValue.members()
                    .put("target", target)
                    .put("config", config)
                    .put("filename", filename)
                    .put("egress", JsonValue.items(egress, Element::toJson))
                    .put("envInjections", envInjections)
                    .put("assertions", JsonValue.items(assertions, Element::toJson))
                    .put(
                            "unenforceable",
                            JsonValue.items(
                                    unenforceable,
                                    row -> JsonValue.members()
                                            .put("capability", row.element().print())
                                            .put("reason", row.detail())
                                            .build()))
                    .put("coverage", JsonValue.items(coverage, Coverage::toJson));
            provenance.ifPresent(block -> json.put("provenance", block.toJson()));
            return json.put("notes", notes).build();
        }

        @Override
        public JsonValue.Members toJsonWithCoverage() {
            return toJson();
        }

        @Override
        public String raw() {
            return config instanceof JsonValue.Text text ? text.value() : JsonWriter.pretty(config);
        }
    }
}
