package dev.capsem.cli.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.cli.CliHarness;
import dev.capsem.cli.screen.Screen.Terminals;
import dev.capsem.client.GuestCommand.Event;
import dev.capsem.wire.service.ApplyReply;
import dev.capsem.wire.service.DiffReply;
import dev.capsem.wire.service.ProvisionRequest;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// `capsem agent` and its like, over a service that a test plays.
class AgentCommandsTest {
    private static final String KEY = "sk-real-0123456789";

    @TempDir
    Path directory;

    private final CliHarness cli = new CliHarness();
    private Path home;

    @BeforeEach
    void prepare() throws IOException {
        home = Files.createDirectories(directory.toRealPath().resolve("home"));
        Path program = Files.createDirectories(home.resolve(".local/bin")).resolve("tiny");
        Files.writeString(program, "#!/bin/sh\n");
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
        Files.createDirectories(home.resolve("app/.git"));
        Files.createDirectories(home.resolve(".capsem/agents"));
        Files.writeString(home.resolve(".capsem/agents/tiny.toml"), """
                schema = "capsem.agent.v1"
                name = "tiny"
                title = "Tiny"
                yolo = ["--go"]
                [env]
                CI = "1"
                [[login]]
                name = "tiny"
                variable = "TINY_KEY"
                hosts = ["models.example.com"]
                base_url = "TINY_URL"
                provider = "openai"
                [[settings]]
                file = ".tiny.json"
                keep = ["theme"]
                flags = ["onboarded"]
                """);
        Files.writeString(home.resolve(".tiny.json"), "{\"theme\": \"dark\", \"token\": \"" + KEY + "\"}");
        Files.writeString(
                home.resolve(".gitconfig"),
                "[user]\n\tname = Me\n\temail = me@example.com\n[credential]\n\thelper = x\n");
        cli.directory = home.resolve("app");
        cli.environment.putAll(Map.of("HOME", home.toString(), "TINY_KEY", KEY, "PATH", "/nowhere", "NO_COLOR", "1"));
        cli.service.answers.putAll(Map.of(
                "GET /profiles", "{\"chosen\": \"coding\"}",
                "GET /secrets", "{\"secrets\": []}",
                "PUT /secrets/env.tiny_key", "{}",
                "POST /profiles/keep", "{\"changed\": true}",
                "GET /cost/app-1?by=model",
                        "{\"total\": {\"calls\": 2, \"input_tokens\": 12000, \"known_cost_usd\": 1.5}}"));
        cli.service.events.add(new Event.Exited(0, Optional.empty()));
        cli.service.diff = new DiffReply(
                home.resolve("app").toString(),
                List.of(new DiffReply.Change("a.txt", "modified", 3, 1, Optional.empty())),
                "diff --git a/a.txt b/a.txt\n+new\n",
                false);
    }

    private ProvisionRequest provisioned() {
        return cli.service.provisioned.orElseThrow();
    }

    @Test
    void anAgentGetsItsInstallationTheProjectAndNoKey() {
        CliHarness.Outcome outcome = cli.run("agent", "tiny", "--yolo", "--", "-p", "fix it");

        assertThat(outcome.exitCode()).as(outcome.err()).isZero();
        assertThat(provisioned().name()).hasValue("app-1");
        assertThat(provisioned().mounts())
                .containsExactly(new ProvisionRequest.HostMount(
                        home.resolve(".local/bin/tiny").toString(), Optional.empty()));
        assertThat(provisioned().project())
                .hasValueSatisfying(project -> assertThat(project.rw()).isFalse());
        assertThat(provisioned().budget()).hasValue("5usd");
        assertThat(provisioned().hideSecrets()).isTrue();
        assertThat(provisioned().profileId()).hasValue("coding-tiny");
        assertThat(provisioned().env()).containsEntry("CI", "1").doesNotContainValue(KEY);
        assertThat(cli.service.started.orElseThrow().exec().command().argv())
                .containsExactly(home.resolve(".local/bin/tiny").toString(), "--go", "-p", "fix it");
        assertThat(cli.service.calls).contains("PUT /secrets/env.tiny_key");
        String kept = cli.service.bodies.stream()
                .map(body -> body.path("text").asString(""))
                .filter(text -> text.contains("[[grant]]"))
                .findFirst()
                .orElseThrow();
        assertThat(kept)
                .contains("extends = \"coding\"", "secret = \"${secret:env.tiny_key}\"", "models.example.com")
                .doesNotContain(KEY);
        assertThat(outcome.err() + outcome.out()).doesNotContain(KEY);
    }

    @Test
    void settingsComeAlongWithoutWhatStandsBesideThem() {
        cli.run("agent", "tiny");

        assertThat(text("app-1:.tiny.json"))
                .contains("\"theme\":\"dark\"", "\"onboarded\":true")
                .doesNotContain(KEY);
        assertThat(text("app-1:.gitconfig"))
                .contains("name = Me", "email = me@example.com")
                .doesNotContain("helper");
    }

    private String text(String file) {
        byte[] content = cli.service.files.getOrDefault(file, new byte[0]);
        return new String(content, StandardCharsets.UTF_8);
    }

    @Test
    void aModelServerOfThisHostHasItsNameInside() {
        cli.environment.put("TINY_URL", "http://localhost:11434/v1");

        cli.run("agent", "tiny");

        assertThat(provisioned().env()).containsEntry("TINY_URL", "http://host.capsem.internal:11434/v1");
        assertThat(cli.service.bodies.toString())
                .contains("hosts = [\\\"host.capsem.internal\\\"]", "http.request.port == 11434", "plain_http = true");
    }

    @Test
    void withoutATerminalTheWorkIsKept() {
        CliHarness.Outcome outcome = cli.run("agent", "tiny");

        assertThat(outcome.err())
                .contains("app-1: 0 s, 2 calls, 12k tokens, $1.50 of $5.00", "changed  a.txt +3 −1")
                .contains("kept as app-1", "capsem apply app-1 --branch");
        assertThat(cli.service.calls).contains("stop app-1").doesNotContain("delete app-1");
    }

    @Test
    void aPersonReviewsAndTakesABranch() {
        cli.terminals = new Terminals(true, false, true);
        cli.stdin = "r\nx\na\n".getBytes(StandardCharsets.UTF_8);
        cli.service.applied = new ApplyReply(
                List.of("a.txt"),
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                List.of(new ApplyReply.Branch(".git", "capsem/app-1", "0123", 1)),
                Optional.empty(),
                0,
                List.of());

        CliHarness.Outcome outcome = cli.run("agent", "tiny");

        assertThat(outcome.out()).contains("+new");
        assertThat(outcome.err()).contains("branch capsem/app-1; your own branch and working tree are as they were");
        assertThat(cli.service.calls).contains("stop app-1").doesNotContain("delete app-1");
    }

    @Test
    void aPersonDiscards() {
        cli.terminals = new Terminals(true, false, true);
        cli.stdin = "d\n".getBytes(StandardCharsets.UTF_8);

        cli.run("agent", "tiny");

        assertThat(cli.service.calls).contains("delete app-1");
    }

    @Test
    void anEndOfInputKeeps() {
        cli.terminals = new Terminals(true, false, true);

        cli.run("agent", "tiny");

        assertThat(cli.service.calls).contains("stop app-1").doesNotContain("delete app-1");
    }

    @Test
    void withoutALoginNothingIsStarted() {
        cli.environment.remove("TINY_KEY");

        CliHarness.Outcome outcome = cli.run("agent", "tiny");

        assertThat(outcome.exitCode()).isEqualTo(125);
        assertThat(outcome.err()).contains("no login of Tiny", "$TINY_KEY", "capsem secret set tiny");
        assertThat(cli.service.provisioned).isEmpty();
    }

    @Test
    void anAgentThatIsNotInstalledIsNamedWithThePlaces() {
        CliHarness.Outcome outcome = cli.run("gemini");

        assertThat(outcome.exitCode()).isEqualTo(125);
        assertThat(outcome.err()).contains("Gemini CLI is not installed here", "~/.local/bin");
        assertThat(cli.service.provisioned).isEmpty();
    }

    @Test
    void recipesAreListedShownAndAdded() throws IOException {
        Files.writeString(home.resolve("app/new.toml"), "schema = \"capsem.agent.v1\"\nname = \"new\"\n");
        Files.writeString(home.resolve("app/bad.toml"), "schema = \"capsem.agent.v1\"\nnam = \"new\"\n");

        assertThat(cli.run("agent", "list").out()).contains("tiny", "yours", "claude", "shipped", "not installed");
        assertThat(cli.run("agent", "show", "tiny").out()).contains("variable = \"TINY_KEY\"");
        assertThat(cli.run("agent", "test", "tiny").exitCode()).isZero();
        assertThat(cli.run("agent", "test", "gemini").exitCode()).isEqualTo(1);
        assertThat(cli.run("agent", "add", "new.toml").exitCode()).isZero();
        assertThat(home.resolve(".capsem/agents/new.toml")).exists();
        assertThat(cli.run("agent", "add", "bad.toml")).satisfies(outcome -> {
            assertThat(outcome.exitCode()).isEqualTo(1);
            assertThat(outcome.err()).contains("bad.toml:2:1: unknown key nam");
        });
        assertThat(cli.run("agent", "none").exitCode()).isEqualTo(2);
    }
}
