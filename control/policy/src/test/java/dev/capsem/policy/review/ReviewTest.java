package dev.capsem.policy.review;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.policy.Capgate;
import dev.capsem.policy.Compilation;
import dev.capsem.policy.CompileOptions;
import dev.capsem.policy.FixtureManifests;
import dev.capsem.policy.lowering.LoweringOptions;
import dev.capsem.policy.manifest.Manifest;
import dev.capsem.source.json.JsonValue;
import dev.capsem.source.json.JsonWriter;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ReviewTest {
    private static Compilation compile(String... capabilities) {
        return Capgate.compilation(
                Manifest.of("s", "1", Manifest.Tool.of("tool", capabilities)), CompileOptions.DEFAULT);
    }

    private static List<String> rules(Compilation compilation) {
        return Lint.check(compilation.manifest(), compilation.grants(), compilation.policy()).stream()
                .map(ReviewFinding::ruleId)
                .toList();
    }

    private static PolicyDiff diff(Compilation before, Compilation after) {
        return PolicyDiff.between(
                new PolicyDiff.Side(before.grants(), before.policy()),
                new PolicyDiff.Side(after.grants(), after.policy()));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "fs:read:/** | root-bind",
                "fs:read:/etc.conf | root-bind",
                "fs:read:/home/someone/** | home-bind",
                "fs:read:/root/.ssh/** | sensitive-path",
                "fs:read:/etc/** | sensitive-path",
                "fs:read:/tmp/** | tmp-shared",
                "fs:read:/opt/py3.11 | dotted-directory",
                "fs:read:/srv/app.db | file-widened",
                "net:connect:* | any-host",
                "net:connect:h.example | any-port",
                "net:connect:10.0.0.1:80 | private-host",
                "net:connect:169.254.169.254:80 | metadata-address",
                "net:connect:metadata.google.internal:80 | metadata-address",
                "exec:spawn:bash | shell",
                "exec:spawn:python3.12 | interpreter",
                "exec:spawn:sudo | privileged-program",
                "env:read:GITHUB_TOKEN | secret-read",
                "env:inject:LD_PRELOAD | loader-variable",
                "ipc:connect:\"unix:/var/run/docker.sock\" | container-socket",
                "ipc:connect:\"dbus:session\" | desktop-bus",
                "ipc:connect:wayland | unknown-endpoint",
                "exec:spawn:x?nestedSandbox=true | nested-sandbox",
                "exec:spawn:x?gpu=1 | unknown-refinement",
                "assert:x | assert-without-description",
            })
    void findsTheRiskyGrant(String capability, String rule) {
        assertThat(rules(compile(capability))).contains("capgate/" + rule);
    }

    @ParameterizedTest
    @CsvSource({
        "fs:read:/workspace/**", "net:connect:api.github.com:443", "exec:spawn:git", "env:inject:GITHUB_TOKEN",
        "env:read:LANG", "clock:tzdata", "ipc:connect:\"unix:/run/app/app.sock\"", "fs:read:/opt/py3.11/"
    })
    void isQuietAboutNarrowGrants(String capability) {
        assertThat(rules(compile(capability))).isEmpty();
    }

    @Test
    void looksAcrossCapabilities() {
        assertThat(rules(compile("net:connect:*", "env:inject:TOKEN"))).contains("capgate/any-host-with-secret");
        assertThat(rules(compile("fs:write:/a", "fs:read:/a/**"))).contains("capgate/same-directory");
        assertThat(rules(compile("fs:read:/a", "fs:read:/a"))).contains("capgate/redundant-capability");
        assertThat(rules(Capgate.compilation(
                        Manifest.of("s", "1").withServerCapabilities("fs:read:/a"), CompileOptions.DEFAULT)))
                .contains("capgate/unused-server-capability");
        assertThat(rules(Capgate.compilation(
                        Manifest.of("s", "1", Manifest.Tool.of("read_file", "fs:write:/a")), CompileOptions.DEFAULT)))
                .contains("capgate/writer-named-reader");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "fs:read:/a/** | fs:read:/a/** | EQUAL",
                "fs:read:/a/** | fs:read:/a/b | NARROWED",
                "fs:read:/a/** | fs:read:/a | NARROWED",
                "fs:read:/a/b | fs:read:/a/** | WIDENED",
                "fs:read:/a/** | fs:write:/a/** | WIDENED",
                "fs:read:/a | fs:read:/b | MIXED",
                "net:connect:* | net:connect:h.example:443 | NARROWED",
                "net:connect:h.example:443 | net:connect:h.example | WIDENED",
                "net:connect:* | net:connect:10.0.0.1:80 | MIXED",
                "net:connect:*.example.com:443 | net:connect:a.example.com:443 | NARROWED",
                "env:read:A | env:inject:A | WIDENED",
                "env:inject:A | env:read:A | NARROWED",
                "clock:system | clock:tzdata | WIDENED",
                "exec:spawn:a | exec:spawn:a?nestedSandbox=true | WIDENED",
                "assert:x:one | clock:system | WIDENED",
                "assert:x:one | assert:x:two | WIDENED",
                "clock:system | ipc:connect:x11 | MIXED",
            })
    void comparesByContainment(String before, String after, PolicyDiff.Comparison expected) {
        assertThat(diff(compile(before), compile(after)).comparison()).isEqualTo(expected);
    }

    @Test
    void namesTheToolAndTheStringThatWidened() {
        PolicyDiff diff = diff(compile("fs:read:/a/**"), compile("fs:read:/a/**", "net:connect:evil.example:443"));

        assertThat(diff.changes()).hasSize(1);
        assertThat(diff.changes().getFirst().finding().owner()).isEqualTo("tool 'tool'");
        assertThat(diff.changes().getFirst().finding().subject()).isEqualTo("net:connect:evil.example:443");
    }

    @Test
    void tableHasARowForEveryCapabilityAndAColumnForEveryTarget() {
        CoverageTable table =
                CoverageTable.of(FixtureManifests.compile("everything").policy(), LoweringOptions.DEFAULT);

        assertThat(table.rows())
                .hasSize(FixtureManifests.compile("everything")
                        .policy()
                        .elements()
                        .size());
        table.rows()
                .forEach((capability, row) ->
                        assertThat(row.keySet()).as(capability).containsExactlyInAnyOrderElementsOf(table.targets()));
    }

    @Test
    void sarifFingerprintsSurviveMovedLines() {
        Compilation compilation = FixtureManifests.compile("puppeteer");
        List<ReviewFinding> findings = Lint.check(compilation.manifest(), compilation.grants(), compilation.policy());
        ReviewFinding first = findings.getFirst();
        ReviewFinding moved = new ReviewFinding(
                first.ruleId(), first.severity(), first.text(), first.subject(), first.owner(), Optional.empty());

        JsonValue report =
                Sarif.report(List.of(new Sarif.Located(first, "a.json"), new Sarif.Located(moved, "a.json")));
        List<String> prints = JsonWriter.pretty(report)
                .lines()
                .filter(line -> line.contains("capgate/v1"))
                .toList();

        assertThat(prints).hasSize(2);
        assertThat(prints.getFirst()).isEqualTo(prints.getLast());
    }
}
