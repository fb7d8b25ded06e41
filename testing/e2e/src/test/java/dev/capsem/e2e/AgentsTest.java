package dev.capsem.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.e2e.Installation.Executed;
import dev.capsem.e2e.NetSandbox.Row;
import dev.capsem.testkit.llm.ModelApi;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Codex, Gemini CLI and opencode, unchanged, complete a turn inside a sandbox: the model asks for a command, the
/// agent runs it and reports back. Claude Code does the same in [NetModelsTest].
///
/// They weigh 900 MB, so this is a ring of its own. Once `npm install --ignore-scripts` has run in `testing/agents`
/// (`npm ci` fails where a registry lacks the packages of other systems):
/// `./capsem check --product -Dtest=AgentsTest -Dtest.excludedGroups= -Dsurefire.failIfNoSpecifiedTests=false`.
@Tag("e2e")
@Tag("agents")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class AgentsTest {
    private static final Path FOLDER = Path.of("../agents").toAbsolutePath().normalize();
    private static final String MODULES = "/root/agents/node_modules/";

    /// An empty column, as rows are read here.
    private static final String NO_SCRIPT = "null";

    private World world;
    private NetSandbox sandbox;

    @BeforeAll
    void start() {
        world = new World();
        sandbox = NetSandbox.startUnder(Account.available().getFirst(), world, world.profile(""), FOLDER);
    }

    @AfterAll
    void stop() {
        sandbox.close();
        world.close();
    }

    /// @see AgentsTest
    enum Agent {
        CODEX(
                "codex",
                NO_SCRIPT,
                "openai",
                "gpt-5-codex",
                "env OPENAI_API_KEY=sk-test-0011 "
                        + MODULES
                        + "@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex exec --skip-git-repo-check"
                        + " --dangerously-bypass-approvals-and-sandbox -m gpt-5-codex -c model_provider=test"
                        + " -c 'model_providers.test={name=\"test\",base_url=\"https://{openai}/v1\",env_key=\"OPENAI_API_KEY\",wire_api=\"responses\"}'"
                        + " 'make a file'"),
        GEMINI(
                "node",
                MODULES + "@google/gemini-cli/bundle/gemini.js",
                "google",
                "gemini-2.5-flash",
                "mkdir -p .gemini && echo '{\"security\":{\"auth\":{\"selectedType\":\"gemini-api-key\"}}}' > .gemini/settings.json && env HOME=$PWD GEMINI_API_KEY=AIza-test-0012 GOOGLE_GEMINI_BASE_URL=https://{gemini} GEMINI_CLI_TRUST_WORKSPACE=true"
                        + " node "
                        + MODULES
                        + "@google/gemini-cli/bundle/gemini.js --yolo -m gemini-2.5-flash -p 'make a file'"),
        OPENCODE(
                "opencode",
                NO_SCRIPT,
                "openai",
                "gpt-4o-mini",
                "printf '%s' '{\"provider\":{\"test\":{\"npm\":\"@ai-sdk/openai-compatible\",\"options\":{\"baseURL\":\"https://{openai}/v1\",\"apiKey\":\"sk-test-0013\"},\"models\":{\"gpt-4o-mini\":{\"tool_call\":true}}}}}' > opencode.json && env OPENCODE_DISABLE_MODELS_FETCH=1 "
                        + MODULES
                        + "opencode-linux-x64/bin/opencode run --print-logs -m test/gpt-4o-mini 'make a file'");

        private final String process;
        private final String script;
        private final String provider;
        private final String model;
        private final String command;

        /// @param script of an interpreter
        Agent(String process, String script, String provider, String model, String command) {
            this.process = process;
            this.script = script;
            this.provider = provider;
            this.model = model;
            this.command = command;
        }
    }

    @ParameterizedTest
    @EnumSource
    void completesATurnWithATool(Agent agent) {
        String work = "/root/work-" + agent.name();

        Executed run = sandbox.exec("mkdir -p " + work + " && cd " + work + " && { timeout 300 sh -c \"$(cat <<'END'\n"
                + agent.command + " < /dev/null\nEND\n)\"; }; echo; cat made.txt");

        assertThat(run.stdout()).as("%s", run.stderr()).contains(ModelApi.TEXT).endsWith("made-by-the-tool\n");
        List<Row> tools = sandbox.awaitRows(
                1, "SELECT * FROM tool_calls WHERE arguments LIKE '%made-by-the-tool%' ORDER BY id DESC");
        String trace = tools.getFirst().text("trace_id");
        List<Row> calls = sandbox.awaitRows(2, "SELECT * FROM model_calls WHERE trace_id = ? ORDER BY id", trace);
        assertThat(calls).allSatisfy(row -> {
            assertThat(row.text("provider")).isEqualTo(agent.provider);
            assertThat(row.text("model")).isEqualTo(agent.model);
            assertThat(row.real("estimated_cost_usd")).isPositive();
            assertThat(row.text("process_name")).isEqualTo(agent.process);
        });
        assertThat(sandbox.awaitRows(
                        2, "SELECT * FROM security_events WHERE event_type = 'model.request' AND trace_id = ?", trace))
                .allSatisfy(row -> {
                    assertThat(row.text("caller_path")).endsWith("/" + agent.process);
                    assertThat(row.text("caller_script")).isEqualTo(agent.script);
                });
        assertThat(sandbox.everything()).doesNotContain("sk-test-0011", "AIza-test-0012", "sk-test-0013");
    }
}
