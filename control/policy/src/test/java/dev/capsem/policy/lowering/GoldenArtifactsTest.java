package dev.capsem.policy.lowering;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.policy.Compilation;
import dev.capsem.policy.FixtureManifests;
import dev.capsem.policy.Golden;
import dev.capsem.policy.artifact.Artifact;
import dev.capsem.policy.artifact.Coverage;
import dev.capsem.policy.egress.EgressKind;
import dev.capsem.policy.manifest.Manifest;
import dev.capsem.source.json.JsonWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// One stored artifact per fixture and target. This is how a change of grammar, policy or lowering is reviewed.
class GoldenArtifactsTest {
    record Case(String fixture, String name, LoweringTarget target, LoweringOptions options) {
        @Override
        public String toString() {
            return fixture + " × " + name;
        }
    }

    static Stream<Case> cases() {
        List<Case> cases = new ArrayList<>();
        for (String fixture : FixtureManifests.names()) {
            for (LoweringTarget target : LoweringTarget.values()) {
                if (target != LoweringTarget.EGRESS) {
                    cases.add(new Case(fixture, target.word(), target, LoweringOptions.DEFAULT.permissive()));
                    continue;
                }
                for (EgressKind kind : EgressKind.values()) {
                    LoweringOptions options =
                            LoweringOptions.DEFAULT.permissive().with(kind);
                    cases.add(new Case(fixture, "egress-" + kind.word(), target, options));
                }
            }
        }
        return cases.stream();
    }

    @ParameterizedTest
    @MethodSource("cases")
    void lowersTheFixtureAsStored(Case golden) {
        Golden.check(
                FixtureManifests.RESOURCES.resolve("golden/" + golden.name() + "/" + golden.fixture() + ".json"),
                artifact(golden));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void coversEveryCapabilityExactlyOnce(Case golden) {
        Compilation compilation = FixtureManifests.compile(golden.fixture());

        Artifact artifact = golden.target().lower(compilation.policy(), golden.options());

        assertThat(artifact.coverage().stream().map(Coverage::element))
                .containsExactlyInAnyOrderElementsOf(compilation.policy().elements());
    }

    @ParameterizedTest
    @MethodSource("cases")
    void saysWhatItLeavesOut(Case golden) {
        Compilation compilation = FixtureManifests.compile(golden.fixture());

        Artifact artifact = golden.target().lower(compilation.policy(), golden.options());

        compilation.policy().kinds().stream()
                .filter(kind -> !golden.target().supported().contains(kind))
                .forEach(kind -> assertThat(artifact.notes())
                        .anyMatch(note -> note.startsWith("left out") && note.contains("'" + kind.word() + "'")));
    }

    @Test
    void isTheSameInEveryLocale() {
        Locale before = Locale.getDefault();
        List<String> plain = cases().map(GoldenArtifactsTest::artifact).toList();
        try {
            for (Locale locale : List.of(Locale.forLanguageTag("tr-TR"), Locale.ROOT, Locale.forLanguageTag("ar-EG"))) {
                Locale.setDefault(locale);
                assertThat(cases().map(GoldenArtifactsTest::artifact).toList()).isEqualTo(plain);
            }
        } finally {
            Locale.setDefault(before);
        }
    }

    private static String artifact(Case golden) {
        Compilation compilation = FixtureManifests.compile(golden.fixture());
        List<String> tools =
                compilation.manifest().tools().stream().map(Manifest.Tool::name).toList();
        Artifact artifact =
                golden.target().lower(compilation.policy(), golden.options().withTools(tools));
        return JsonWriter.pretty(artifact.toJson()) + "\n";
    }
}
