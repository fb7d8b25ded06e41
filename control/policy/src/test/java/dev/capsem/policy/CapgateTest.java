package dev.capsem.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.capsem.policy.artifact.Artifact;
import dev.capsem.policy.diagnostic.Code;
import dev.capsem.policy.diagnostic.CompilationError;
import dev.capsem.policy.diagnostic.Diagnostic;
import dev.capsem.policy.diagnostic.Location;
import dev.capsem.policy.grammar.ClockSource;
import dev.capsem.policy.ir.Element;
import dev.capsem.policy.ir.MergeMode;
import dev.capsem.policy.ir.Policy;
import dev.capsem.policy.lowering.DockerOptions;
import dev.capsem.policy.manifest.Bindings;
import dev.capsem.policy.manifest.Manifest;
import dev.capsem.source.json.JsonWriter;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CapgateTest {
    @Test
    void reproducesTheThirtySecondExample() {
        Policy policy = Capgate.compile(
                Manifest.of("my-server", "0.1.0", Manifest.Tool.of("read_file", "fs:read:/workspace/**")));

        assertThat(String.join(" ", Capgate.lowerToDocker(policy).argv()))
                .isEqualTo("--rm --cap-drop ALL --security-opt no-new-privileges --read-only --tmpfs /tmp"
                        + " --network none --volume /workspace:/workspace:ro");
    }

    @Test
    void reproducesTheWorkedExample() {
        Policy policy = FixtureManifests.compile("github").policy();

        Artifact.SandboxArtifact docker = Capgate.lowerToDocker(policy, DockerOptions.DEFAULT.withReadOnlyRootfs(true));
        Artifact.SandboxArtifact bwrap = Capgate.lowerToBwrap(policy);

        assertThat(String.join(" ", docker.argv()))
                .isEqualTo("--rm --cap-drop ALL --security-opt no-new-privileges --read-only --tmpfs /tmp"
                        + " --volume /workspace:/workspace:rw --env GITHUB_PERSONAL_ACCESS_TOKEN");
        assertThat(JsonWriter.compact(docker.toJson().get("egress").orElseThrow()))
                .isEqualTo("[{\"host\":\"api.github.com\",\"port\":443,\"blockPrivate\":true}]");
        assertThat(docker.egress()).isEqualTo(bwrap.egress());
        assertThat(String.join(" ", bwrap.argv()))
                .isEqualTo("--unshare-uts --unshare-cgroup-try --unshare-net --unshare-user-try --unshare-pid"
                        + " --unshare-ipc --die-with-parent --new-session --ro-bind-try /usr /usr"
                        + " --ro-bind-try /lib /lib --ro-bind-try /lib64 /lib64 --ro-bind-try /bin /bin"
                        + " --ro-bind-try /sbin /sbin --ro-bind-try /etc/ssl /etc/ssl"
                        + " --ro-bind-try /etc/ca-certificates /etc/ca-certificates --proc /proc --tmpfs /tmp"
                        + " --bind /workspace /workspace --clearenv --setenv PATH"
                        + " /usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin --setenv HOME /tmp");
    }

    @Test
    void hashesTheKnownAnswer() {
        Manifest manifest = Manifest.of("srv", "1.0.0", Manifest.Tool.of("t", "fs:read:/x"));

        assertThat(Capgate.computeManifestHash(manifest))
                .isEqualTo("sha256:ed84115385089df118983e03900f9b6c473327cb48a663ca6d824a8cd3a5f807");
        assertThat(Capgate.compile(manifest).provenance().orElseThrow().manifestHash())
                .isEqualTo(Capgate.computeManifestHash(manifest));
    }

    @Test
    void hashesBoundParametersAndNothingThatGrantsNothing() {
        String plain = "{\"name\":\"a\",\"version\":\"1\",\"tools\":[]}";
        String described = "{\"grammar\":\"0.0\",\"name\":\"a\",\"version\":\"1\",\"x\":1.5,\"tools\":[]}";
        Compilation one = Capgate.compilation(
                FixtureManifests.document("sqlite"),
                CompileOptions.DEFAULT.with(Bindings.NONE.with("db_path", "/a/b.db")));
        Compilation other = Capgate.compilation(
                FixtureManifests.document("sqlite"),
                CompileOptions.DEFAULT.with(Bindings.NONE.with("db_path", "/a/c.db")));

        assertThat(Capgate.compile(plain).provenance())
                .isEqualTo(Capgate.compile(described).provenance());
        assertThat(one.policy().provenance()).isNotEqualTo(other.policy().provenance());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "null | MANIFEST_SHAPE | ''",
                "[] | MANIFEST_SHAPE | ''",
                "{\"grammar\":null,\"name\":\"a\",\"version\":\"1\",\"tools\":[]} | MANIFEST_SHAPE | /grammar",
                "{\"grammar\":\"0.1\",\"name\":\"\",\"version\":\"1\",\"tools\":[]} | GRAMMAR_VERSION_MISMATCH | /grammar",
                "{\"name\":\"\",\"version\":\"1\",\"tools\":[]} | MANIFEST_SHAPE | /name",
                "{\"name\":\"a\",\"version\":2,\"tools\":[]} | MANIFEST_SHAPE | /version",
                "{\"name\":\"a\",\"version\":\"1\"} | MANIFEST_SHAPE | /tools",
                "{\"name\":\"a\",\"version\":\"1\",\"tools\":[],\"serverCapabilities\":0} | MANIFEST_SHAPE | /serverCapabilities",
                "{\"name\":\"a\",\"version\":\"1\",\"tools\":[],\"serverCapabilities\":\"\"} | MANIFEST_SHAPE | /serverCapabilities",
                "{\"name\":\"a\",\"version\":\"1\",\"tools\":[],\"serverCapabilities\":[1]} | MANIFEST_SHAPE | /serverCapabilities/0",
                "{\"name\":\"a\",\"version\":\"1\",\"tools\":[3]} | MANIFEST_SHAPE | /tools/0",
                "{\"name\":\"a\",\"version\":\"1\",\"tools\":[{\"name\":\"t\"}]} | MANIFEST_SHAPE | /tools/0/capabilities",
                "{\"name\":\"a\",\"version\":\"1\",\"tools\":[{\"name\":\"t\",\"capabilities\":[null]}]} | MANIFEST_SHAPE | /tools/0/capabilities/0",
                "{\"name\":\"a\",\"name\":\"b\",\"version\":\"1\",\"tools\":[]} | MANIFEST_DUPLICATE_KEY | /name",
                "{\"name\":\"a\",\"version\":\"1\",\"tools\":[],\"parameters\":[]} | MANIFEST_SHAPE | /parameters",
                "{\"name\":\"a\",\"version\":\"1\",\"tools\":[],\"parameters\":{\"x\":{\"type\":\"int\"}}} | PARAM_SHAPE | /parameters/x",
                "{\"name\":\"a\",\"version\":\"1\",\"tools\":[],\"parameters\":{\"X\":{\"type\":\"path\"}}} | PARAM_SHAPE | /parameters/X",
            })
    void rejectsAManifestOfTheWrongShape(String text, Code code, String pointer) {
        CompilationError error = catchThrowableOfType(CompilationError.class, () -> Capgate.compile(text));

        assertThat(error.code()).isEqualTo(code);
        assertThat(error.problems().getFirst().location().map(Location::pointer))
                .isEqualTo(Optional.of(pointer));
    }

    @Test
    void acceptsNullServerCapabilitiesAsAbsent() {
        String absent = "{\"name\":\"a\",\"version\":\"1\",\"tools\":[]}";
        String nulled = "{\"name\":\"a\",\"version\":\"1\",\"tools\":[],\"serverCapabilities\":null}";

        assertThat(Capgate.compile(nulled)).isEqualTo(Capgate.compile(absent));
    }

    @Test
    void reportsEveryProblemWithItsPlaceAndTheFirstOneDecides() {
        String text = """
                {
                  "name": "a",
                  "version": 7,
                  "serverCapabilities": ["clock:utc"],
                  "tools": [
                    {"name": "t", "capabilities": ["fs:read:x", 5, "net:connect:h:99999"]}
                  ]
                }
                """;

        CompilationError error = catchThrowableOfType(CompilationError.class, () -> Capgate.compile(text));

        assertThat(error.code()).isEqualTo(Code.MANIFEST_SHAPE);
        assertThat(error.problems().stream().map(Diagnostic::code))
                .containsExactly(
                        Code.MANIFEST_SHAPE,
                        Code.MANIFEST_SHAPE,
                        Code.CAP_CLOCK_SOURCE,
                        Code.CAP_FS_RELATIVE,
                        Code.CAP_NET_PORT);
        assertThat(error.problems().getLast().location()).contains(new Location(6, 52, "/tools/0/capabilities/2"));
    }

    @Test
    void mergesClosesAndOrdersAsSpecified() {
        Policy policy = Capgate.compile(Manifest.of(
                "s",
                "1",
                Manifest.Tool.of("a", "fs:delete:/b", "fs:create:/c", "env:read:AB", "env:read:A_B", "clock:system"),
                Manifest.Tool.of("b", "net:connect:h:443", "net:connect:h", "net:connect:h:80", "env:inject:AB"),
                Manifest.Tool.of("c", "assert:x:one", "assert:x:two", "clock:tzdata", "exec:spawn:Z", "exec:spawn:a")));

        assertThat(policy.fs().stream().map(Element::print))
                .containsExactly("fs:read,write,delete:/b", "fs:read,create:/c");
        assertThat(policy.net().stream().map(Element::print))
                .containsExactly("net:connect:h", "net:connect:h:80", "net:connect:h:443");
        assertThat(policy.env().stream().map(Element::print)).containsExactly("env:read:A_B", "env:inject:AB");
        assertThat(policy.exec().stream().map(Element::print)).containsExactly("exec:spawn:a", "exec:spawn:Z");
        assertThat(policy.clock()).isEqualTo(ClockSource.TZDATA);
        assertThat(policy.assertions()).containsExactly(new Element.Assertion("x", "two"));
    }

    @Test
    void keepsNestedGrantsNested() {
        Artifact.SandboxArtifact bwrap =
                Capgate.lowerToBwrap(FixtureManifests.compile("nested").policy());

        String argv = String.join(" ", bwrap.argv());
        assertThat(argv)
                .contains("--ro-bind /workspace /workspace --bind /workspace/-out /workspace/-out"
                        + " --bind /workspace/notes.txt /workspace/notes.txt --bind /workspace/src /workspace/src")
                .doesNotContain("--bind /workspace /workspace --")
                .doesNotContain("/workspace/docs");
        assertThat(bwrap.notes()).anyMatch(note -> note.contains("/workspace/src") && note.contains("not widened"));
    }

    @Test
    void flattensNestedGrantsOnRequest() {
        Manifest manifest =
                Manifest.of("s", "1", Manifest.Tool.of("t", "fs:read:/workspace/**", "fs:write:/workspace/src"));

        Policy flat = Capgate.compile(manifest, CompileOptions.DEFAULT.with(MergeMode.UNION));

        assertThat(flat.fs().stream().map(Element::print)).containsExactly("fs:read,write:/workspace/**");
    }

    @Test
    void innerGrantsGainWhatTheOuterOneAllows() {
        Policy policy = Capgate.compile(Manifest.of(
                "s", "1", Manifest.Tool.of("t", "fs:create:/a/**", "fs:delete:/a/b/**", "fs:write:/a/b/c")));

        assertThat(policy.fs().stream().map(Element::print))
                .containsExactly("fs:read,create:/a/**", "fs:read,create,write,delete:/a/b/**");
    }

    @Test
    void bindsTypedParameters() {
        Compilation many = Capgate.compilation(
                FixtureManifests.document("filesystem"),
                CompileOptions.DEFAULT.with(Bindings.NONE.with("roots", "/a").with("roots", "/b/c")));

        assertThat(many.policy().fs().stream().map(root -> root.path().text())).containsExactly("/a/**", "/b/c/**");
    }

    @ParameterizedTest
    @CsvSource({
        "db_path,/a?nestedSandbox=true",
        "db_path,relative",
        "db_path,/a/../b",
        "db_path,/a/**",
        "db_path,'/a\"b'",
        "db_path,''"
    })
    void refusesParameterValuesThatDoNotFit(String name, String value) {
        CompilationError error = catchThrowableOfType(
                CompilationError.class,
                () -> Capgate.compilation(
                        FixtureManifests.document("sqlite"),
                        CompileOptions.DEFAULT.with(Bindings.NONE.with(name, value))));

        assertThat(error.code()).isEqualTo(Code.PARAM_VALUE);
        assertThat(error.getMessage()).doesNotContain("nestedSandbox");
    }

    @Test
    void refusesUnboundAndUnknownParameters() {
        CompilationError error = catchThrowableOfType(
                CompilationError.class,
                () -> Capgate.compilation(
                        FixtureManifests.document("postgres"),
                        CompileOptions.DEFAULT.with(Bindings.NONE.with("nope", "x"))));

        assertThat(error.problems().stream().map(Diagnostic::code)).contains(Code.PARAM_UNKNOWN, Code.PARAM_UNBOUND);
    }

    @Test
    void failsOnAnAssertionThatNoValidatorRecognises() {
        CompileOptions options = CompileOptions.DEFAULT.with(AssertionValidator.ofIds(List.of("postgres.*")));

        CompilationError error = catchThrowableOfType(
                CompilationError.class, () -> Capgate.compilation(FixtureManifests.document("fetch"), options));
        Compilation recognised = Capgate.compilation(
                FixtureManifests.document("postgres"), options.with(Bindings.NONE.with("db_host", "db.example")));

        assertThat(error.code()).isEqualTo(Code.ASSERT_UNRECOGNIZED);
        assertThat(recognised.policy().assertions()).hasSize(1);
    }

    @Test
    void refusesToSpellAColonInADockerVolume() {
        Policy policy = Capgate.compile(Manifest.of("s", "1", Manifest.Tool.of("t", "fs:read:\"/a:/etc\"")));

        CompilationError error = catchThrowableOfType(CompilationError.class, () -> Capgate.lowerToDocker(policy));

        assertThat(error.code()).isEqualTo(Code.ADAPTER_PATH);
    }
}
