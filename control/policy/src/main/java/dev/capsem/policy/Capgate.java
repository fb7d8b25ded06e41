package dev.capsem.policy;

import dev.capsem.policy.artifact.Artifact;
import dev.capsem.policy.artifact.Support;
import dev.capsem.policy.diagnostic.Code;
import dev.capsem.policy.diagnostic.CompilationError;
import dev.capsem.policy.diagnostic.Diagnostic;
import dev.capsem.policy.diagnostic.Location;
import dev.capsem.policy.egress.EgressOptions;
import dev.capsem.policy.egress.EgressTarget;
import dev.capsem.policy.grammar.Capability;
import dev.capsem.policy.grammar.CapabilityParser;
import dev.capsem.policy.grammar.Kind;
import dev.capsem.policy.ir.ArtifactProvenance;
import dev.capsem.policy.ir.Element;
import dev.capsem.policy.ir.Normalizer;
import dev.capsem.policy.ir.Policy;
import dev.capsem.policy.lowering.BwrapOptions;
import dev.capsem.policy.lowering.BwrapTarget;
import dev.capsem.policy.lowering.DockerOptions;
import dev.capsem.policy.lowering.DockerTarget;
import dev.capsem.policy.manifest.Bindings;
import dev.capsem.policy.manifest.Diagnostics;
import dev.capsem.policy.manifest.Grant;
import dev.capsem.policy.manifest.Manifest;
import dev.capsem.policy.manifest.ManifestGrantReader;
import dev.capsem.policy.manifest.ManifestReader;
import dev.capsem.source.json.JsonReader;
import dev.capsem.source.json.JsonReading;
import dev.capsem.source.json.JsonValue;
import dev.capsem.source.json.ParsedJson;
import java.util.Collection;
import java.util.List;
import java.util.Set;

/// The compiler as a library: every step is a pure function, every fault a [CompilationError].
public final class Capgate {
    public static final String GRAMMAR_VERSION = CapabilityParser.GRAMMAR_VERSION;
    public static final String CANONICALIZATION = ArtifactProvenance.CANONICALIZATION;

    private Capgate() {}

    /// Compiles the JSON text of a manifest.
    public static Policy compile(String manifest) {
        return compilation(document(manifest), CompileOptions.DEFAULT).policy();
    }

    public static Policy compile(Manifest manifest) {
        return compile(manifest, CompileOptions.DEFAULT);
    }

    public static Policy compile(Manifest manifest, CompileOptions options) {
        return compilation(manifest, options).policy();
    }

    /// Compiles and keeps who asked for what.
    public static Compilation compilation(Manifest manifest, CompileOptions options) {
        return compilation(manifest, options, new Diagnostics());
    }

    /// Compiles a document; shape faults and capability faults are reported together.
    public static Compilation compilation(ParsedJson document, CompileOptions options) {
        Diagnostics problems = new Diagnostics();
        Manifest manifest = ManifestReader.read(document, problems);
        return compilation(manifest, options, problems);
    }

    public static Manifest parseManifest(String text) {
        Diagnostics problems = new Diagnostics();
        Manifest manifest = ManifestReader.read(document(text), problems);
        problems.throwIfAny();
        return manifest;
    }

    public static Capability parseCapability(String text) {
        return CapabilityParser.parse(text);
    }

    public static boolean isEnforceable(Capability capability) {
        return capability.isEnforceable();
    }

    /// Unions capabilities without a manifest; such a policy carries no provenance.
    public static Policy normalize(
            String serverName, String serverVersion, Collection<? extends Capability> capabilities) {
        return Normalizer.normalize(serverName, serverVersion, capabilities, CompileOptions.DEFAULT.merge());
    }

    public static Artifact.SandboxArtifact lowerToBwrap(Policy policy) {
        return lowerToBwrap(policy, BwrapOptions.DEFAULT);
    }

    public static Artifact.SandboxArtifact lowerToBwrap(Policy policy, BwrapOptions options) {
        return BwrapTarget.lower(policy, options);
    }

    public static Artifact.SandboxArtifact lowerToDocker(Policy policy) {
        return lowerToDocker(policy, DockerOptions.DEFAULT);
    }

    public static Artifact.SandboxArtifact lowerToDocker(Policy policy, DockerOptions options) {
        return DockerTarget.lower(policy, options);
    }

    public static Artifact.EgressArtifact lowerToEgress(Policy policy, EgressOptions options) {
        return EgressTarget.lower(policy, options);
    }

    public static void assertSupported(String adapter, Policy policy, Set<Kind> supported) {
        Support.assertSupported(adapter, policy, supported);
    }

    public static String canonicalize(JsonValue value) {
        return ArtifactProvenance.canonicalize(value);
    }

    public static JsonValue.Members manifestProjection(Manifest manifest, Bindings bindings) {
        return manifest.projection(bindings);
    }

    public static String computeManifestHash(Manifest manifest) {
        return provenanceFor(manifest, Bindings.NONE).manifestHash();
    }

    public static ArtifactProvenance provenanceFor(Manifest manifest, Bindings bindings) {
        return ArtifactProvenance.of(manifest.projection(bindings));
    }

    private static Compilation compilation(Manifest manifest, CompileOptions options, Diagnostics problems) {
        ManifestGrantReader.Grants grants = ManifestGrantReader.read(manifest, options.bindings(), problems);
        options.validator().ifPresent(validator -> checkAssertions(grants.list(), validator, problems));
        problems.throwIfAny();
        List<Capability> capabilities =
                grants.list().stream().map(Grant::capability).toList();
        Policy policy = Normalizer.normalize(manifest.name(), manifest.version(), capabilities, options.merge())
                .with(provenanceFor(manifest, grants.bindings()));
        return new Compilation(manifest, grants.bindings(), grants.list(), policy);
    }

    private static void checkAssertions(List<Grant> grants, AssertionValidator validator, Diagnostics problems) {
        for (Grant grant : grants) {
            if (!(grant.capability() instanceof Capability.Assert claim)
                    || validator.recognises(new Element.Assertion(claim.id(), claim.description()))) {
                continue;
            }
            Diagnostic problem = Diagnostic.of(
                            Code.ASSERT_UNRECOGNIZED,
                            "no validator recognises '" + claim.id() + "'; configure one, or remove the assertion")
                    .with(JsonValue.members().put("id", claim.id()).build());
            problems.add(grant.declared().location().map(problem::at).orElse(problem));
        }
    }

    private static ParsedJson document(String text) {
        return switch (JsonReader.read(text)) {
            case JsonReading.Parsed parsed -> parsed.document();
            case JsonReading.Malformed malformed ->
                throw new CompilationError(
                        Diagnostic.of(Code.MANIFEST_SHAPE, "the manifest is not JSON: " + malformed.reason())
                                .at(new Location(malformed.line(), malformed.column(), "")));
        };
    }
}
