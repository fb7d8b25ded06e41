package dev.capsem.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.e2e.Commands.Outcome;
import dev.capsem.testkit.http.Exchange;
import dev.capsem.testkit.http.HttpOrigin;
import dev.capsem.testkit.llm.ModelApi;
import dev.capsem.testkit.upstreams.Upstreams;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// One command from a project to a branch: an agent that is installed in the user's home works on a copy of it, asks a
/// model with a key that it does not have, and commits. The user's branch, index and files stay as they are.
@Tag("e2e")
class AgentWorkTest {
    private static final String KEY = "sk-ant-real-0123456789abcdefghijkl";

    private static final String RECIPE = """
            schema = "capsem.agent.v1"
            name = "tiny"
            title = "Tiny"
            yolo = ["--go"]
            [[login]]
            name = "tiny"
            variable = "TINY_KEY"
            hosts = ["models.example.test"]
            places = ["header:x-api-key"]
            base_url = "TINY_URL"
            provider = "anthropic"
            """;

    private static final String AGENT = """
            #!/bin/sh
            echo "key=$TINY_KEY"
            echo "env=[$(cat .env)]"
            echo "args=$*"
            echo x 2>/dev/null > "$0" || echo "cannot change myself"
            ls /tmp/*/user/private 2>/dev/null && echo "saw the home"
            curl -sS "$TINY_URL/v1/messages" -H "x-api-key: $TINY_KEY" -H 'content-type: application/json' \\
                -d '{"model":"claude-opus-4-8","max_tokens":10,"messages":[{"role":"user","content":"hi"}]}'
            echo agent >> a.txt
            git commit -q -a -m "work of the agent" || exit 1
            echo new > c.txt
            echo 'all: ; touch /tmp/ran' > Makefile
            """;

    private static final byte[] ANSWER = ("{\"id\":\"m\",\"type\":\"message\",\"role\":\"assistant\",\"model\":"
                    + "\"claude-opus-4-8\",\"content\":[{\"type\":\"text\",\"text\":\"echo of %s\"}],"
                    + "\"usage\":{\"input_tokens\":1000,\"output_tokens\":500}}")
            .getBytes(StandardCharsets.UTF_8);

    private final List<String> keys = new CopyOnWriteArrayList<>();

    static List<Account> accounts() {
        return Account.available();
    }

    @ParameterizedTest
    @MethodSource("accounts")
    void theWorkOfAnAgentBecomesABranch(Account account) throws IOException {
        try (Upstreams upstreams = new Upstreams();
                Installation plain = Installation.start(account)) {
            HttpOrigin model = upstreams.http("models.example.test", this::answer);
            Installation installation = plain.withSettings(
                    Map.of("TINY_KEY", KEY, "TINY_URL", "http://127.0.0.1:" + model.port(), "PATH", "/usr/bin:/bin"));
            GitProject project = prepare(installation);
            String before = project.ownState() + project.host("git status --porcelain; cat a.txt .env");

            Outcome ran = project.capsem("agent", "tiny", "--yolo", "--", "-p", "fix it");

            assertThat(ran.exitCode()).as("%s%s", ran.stdout(), ran.stderr()).isZero();
            assertThat(keys).containsExactly(KEY);
            assertThat(ran.stdout())
                    .contains("key=sk-ant-", "env=[]", "args=--go -p fix it", "cannot change myself")
                    .doesNotContain(KEY, "saw the home");
            assertThat(ran.stderr())
                    .contains("first time: tiny", "hidden: .env", "1 call", "of $5.00", "kept as app-1")
                    .contains("c.txt +1");
            assertThat(project.ownState() + project.host("git status --porcelain; cat a.txt .env"))
                    .isEqualTo(before);

            Outcome applied = project.capsem("apply", "app-1", "--branch");

            assertThat(applied.exitCode()).as("%s", applied.stderr()).isZero();
            assertThat(applied.stderr()).contains("branch capsem/app-1", "Makefile");
            assertThat(project.host("git ls-tree -r --name-only capsem/app-1").lines())
                    .contains("a.txt", "c.txt")
                    .doesNotContain("Makefile", ".env");
            assertThat(project.host("git log --format='%an %s' capsem/app-1"))
                    .contains("Agent Smith work of the agent", "Work of the sandbox app-1");
            assertThat(project.ownState() + project.host("git status --porcelain; cat a.txt .env"))
                    .isEqualTo(before);
            again(project);
            isNowhere(installation);
        }
    }

    /// The real one, by its shipped recipe, against a stand-in of its model.
    @ParameterizedTest
    @MethodSource("accounts")
    void claudeCodeWorks(Account account) throws IOException {
        Path program = NetClients.FOLDER.resolve("node_modules/@anthropic-ai/claude-code-linux-x64/claude");
        Assumptions.assumeTrue(
                Files.isExecutable(program),
                "skipped: @anthropic-ai/claude-code is not installed; ./capsem setup --tests installs it");
        var api = new ModelApi();
        try (Upstreams upstreams = new Upstreams();
                Installation plain = Installation.start(account)) {
            HttpOrigin model = upstreams.http("models.example.test", exchange -> {
                exchange.header("x-api-key").ifPresent(keys::add);
                api.handle(exchange);
            });
            Installation installation = plain.withSettings(
                    Map.of("ANTHROPIC_API_KEY", KEY, "ANTHROPIC_BASE_URL", "http://localhost:" + model.port()));
            GitProject project = prepare(installation);
            Path versions =
                    Files.createDirectories(installation.userDirectory().resolve(".local/share/claude/versions"));
            Files.copy(program, versions.resolve("2.1.197"), StandardCopyOption.COPY_ATTRIBUTES);
            Files.createSymbolicLink(
                    installation.userDirectory().resolve(".local/bin/claude"), versions.resolve("2.1.197"));
            installation.handOver(installation.userDirectory());
            String before = project.ownState() + project.host("git status --porcelain");

            Outcome ran = project.capsem(
                    "claude", "--yolo", "-e", "ANTHROPIC_MODEL=claude-haiku-4-5", "--", "-p", "make a file");

            assertThat(ran.exitCode()).as("%s%s", ran.stdout(), ran.stderr()).isZero();
            assertThat(ran.stdout()).contains(ModelApi.TEXT);
            assertThat(ran.stderr()).contains("first time: claude 2.1.197", "made.txt +1", "Bash", "kept as app-1");
            assertThat(keys).isNotEmpty().containsOnly(KEY);
            assertThat(project.capsem("apply", "app-1", "--branch").exitCode()).isZero();
            assertThat(project.host("git show capsem/app-1:made.txt")).isEqualTo("made-by-the-tool");
            assertThat(project.ownState() + project.host("git status --porcelain"))
                    .isEqualTo(before);
            isNowhere(installation);
        }
    }

    /// A second run has a copy of its own; the first can go on.
    private static void again(GitProject project) {
        assertThat(project.capsem("agent", "tiny", "--unattended").stderr()).contains("kept as app-2");
        Outcome resumed = project.capsem("agent", "tiny", "--resume", "app-1", "--unattended", "--", "more");
        assertThat(resumed.exitCode()).as("%s", resumed.stderr()).isZero();
        assertThat(resumed.stdout()).contains("args=more", "env=[]");
        assertThat(project.capsem("exec", "app-1", "--", "cat", "a.txt").exitCode())
                .as("it was stopped again")
                .isNotZero();
        assertThat(project.capsem("diff", "app-1", "--stat").stdout()).contains("c.txt");
    }

    private GitProject prepare(Installation installation) throws IOException {
        GitProject project = GitProject.make(installation);
        Files.writeString(project.directory().resolve(".env"), "SECRET=hunter2\n");
        Path home = installation.userDirectory();
        Files.writeString(home.resolve("private"), "not for agents\n");
        Files.writeString(home.resolve(".gitconfig"), "[user]\n\tname = Agent Smith\n\temail = smith@example.test\n");
        Path program =
                Files.createDirectories(home.resolve(".local/share/tiny")).resolve("tiny");
        Files.writeString(program, AGENT);
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
        Path link = Files.createDirectories(home.resolve(".local/bin")).resolve("tiny");
        Files.createSymbolicLink(link, Path.of("../share/tiny/tiny"));
        Files.writeString(home.resolve("tiny.toml"), RECIPE);
        installation.handOver(home);
        Outcome added = installation.capsem("agent", "add", "tiny.toml");
        assertThat(added.exitCode()).as("%s", added.stderr()).isZero();
        return project;
    }

    private void answer(Exchange exchange) throws IOException {
        String key = exchange.header("x-api-key").orElse("none");
        keys.add(key);
        exchange.bodyBytes();
        byte[] answer =
                new String(ANSWER, StandardCharsets.UTF_8).formatted(key).getBytes(StandardCharsets.UTF_8);
        exchange.reply(200, Map.of("content-type", "application/json"), answer);
    }

    /// Neither in what Capsem keeps nor in what the agent left. The store is encrypted; hidden files are not copied.
    private static void isNowhere(Installation installation) throws IOException {
        try (Stream<Path> home = Files.walk(installation.home())) {
            for (Path file : home.filter(path -> Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS))
                    .toList()) {
                String content = new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1);
                assertThat(content.contains(KEY) || content.contains("hunter2"))
                        .as(file.toString())
                        .isFalse();
            }
        }
    }
}
