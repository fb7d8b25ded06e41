package dev.capsem.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.capsem.e2e.Installation.Executed;
import dev.capsem.e2e.NetSandbox.Row;
import dev.capsem.testkit.http.HttpOrigin;
import dev.capsem.testkit.http.Received;
import dev.capsem.testkit.llm.ModelApi;
import java.nio.file.Files;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/// Conversations of real clients with model APIs: every row they leave, field by field.
@Tag("e2e")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class NetModelsTest {
    /// Of all models that hosts without a name of their own serve, one.
    private static final String RULES = """
            [security.rules.model.one_elsewhere]
            on = "model.request"
            if = 'model.request.provider == "unknown" && model.request.model == "maker/allowed"'
            decision = "allow"
            priority = 400
            """;

    private World world;
    private NetSandbox sandbox;

    @BeforeAll
    void start() {
        world = new World();
        sandbox = NetSandbox.start(Account.available().getFirst(), world, RULES);
    }

    @AfterAll
    void stop() {
        sandbox.close();
        world.close();
    }

    /// @param inputPrice and its like: US dollars for a million tokens, as the embedded table has them
    /// @param countsCached whether the API's input count includes what came from a cache
    record Conversation(
            NetClients client,
            String origin,
            String provider,
            String family,
            String normalized,
            String model,
            String path,
            boolean countsCached,
            double inputPrice,
            double cachedPrice,
            double outputPrice) {
        double cost(ModelApi.Usage usage) {
            return (usage.input() * inputPrice + usage.cached() * cachedPrice + usage.output() * outputPrice)
                    / 1_000_000;
        }

        long input(ModelApi.Usage usage) {
            return countsCached ? usage.input() + usage.cached() : usage.input();
        }

        @Override
        public String toString() {
            return client.name();
        }
    }

    static List<Arguments> conversations() {
        return List.of(
                Arguments.of(new Conversation(
                        NetClients.SDK_ANTHROPIC,
                        "anthropic",
                        "anthropic",
                        "anthropic_messages",
                        "anthropic",
                        "claude-haiku-4-5",
                        "/v1/messages",
                        false,
                        1,
                        0.1,
                        5)),
                Arguments.of(new Conversation(
                        NetClients.SDK_OPENAI_CHAT,
                        "openai",
                        "openai",
                        "openai_chat_completions",
                        "openai",
                        "gpt-4o-mini",
                        "/v1/chat/completions",
                        true,
                        0.15,
                        0.075,
                        0.6)),
                Arguments.of(new Conversation(
                        NetClients.SDK_OPENAI_RESPONSES,
                        "openai",
                        "openai",
                        "openai_responses",
                        "openai",
                        "gpt-4.1-mini",
                        "/v1/responses",
                        true,
                        0.4,
                        0.1,
                        1.6)),
                Arguments.of(new Conversation(
                        NetClients.SDK_GEMINI,
                        "gemini",
                        "google",
                        "google_gemini_content",
                        "google_gemini",
                        "gemini-2.5-flash",
                        "/v1beta/models/gemini-2.5-flash:streamGenerateContent",
                        true,
                        0.3,
                        0.03,
                        2.5)));
    }

    @ParameterizedTest
    @MethodSource("conversations")
    void twoTurnsWithAToolLeaveExactRows(Conversation talk) {
        talk.client().missing(world).ifPresent(reason -> Assumptions.abort("skipped: " + reason));
        Executed run = sandbox.installation().exec(sandbox.id(), talk.client().inside(world));
        assertThat(run.exitCode()).as("%s%s", run.stdout(), run.stderr()).isZero();
        assertThat(run.stdout()).endsWith(ModelApi.TEXT + "\n");

        List<Row> calls = sandbox.awaitRows(
                2, "SELECT * FROM model_calls WHERE path = ? AND process_name = 'node' ORDER BY id", talk.path());

        assertThat(calls).hasSize(2);
        List<Received> all = origin(talk).received(talk.path());
        List<Received> received = all.subList(all.size() - 2, all.size());
        modelCall(talk, calls.get(0), received.get(0), ModelApi.TURN_WITH_TOOL, true);
        modelCall(talk, calls.get(1), received.get(1), ModelApi.TURN_WITH_TEXT, false);
        String trace = calls.getFirst().text("trace_id");
        assertThat(calls.getLast().text("trace_id")).isEqualTo(trace);
        toolRows(calls, trace);
        interactions(talk, calls, trace);
        netRows(talk, received, trace);
        securityEvents(trace);
        assertThat(sandbox.everything()).doesNotContain("sk-ant-test", "sk-test-000", "AIza-test");
    }

    private HttpOrigin origin(Conversation talk) {
        return switch (talk.origin()) {
            case "anthropic" -> world.anthropic();
            case "openai" -> world.openai();
            default -> world.gemini();
        };
    }

    private static void modelCall(
            Conversation talk, Row call, Received received, ModelApi.Usage usage, boolean callsTool) {
        assertThat(call.text("provider")).isEqualTo(talk.provider());
        assertThat(call.text("model")).isEqualTo(talk.model());
        assertThat(call.text("process_name")).isEqualTo("node");
        assertThat(call.text("method")).isEqualTo("POST");
        assertThat(call.text("path")).isEqualTo(talk.path());
        assertThat(call.number("stream")).isOne();
        assertThat(call.text("system_prompt_preview")).isEqualTo("You are brief.");
        assertThat(call.number("tools_count")).isOne();
        assertThat(call.number("request_bytes")).isEqualTo(received.bodyBytes());
        assertThat(call.text("request_body_preview")).contains("How is the weather in Oslo?");
        assertThat(call.text("message_id")).isNotBlank();
        assertThat(call.number("status_code")).isEqualTo(200);
        assertThat(call.get("text_content")).isEqualTo(callsTool ? null : ModelApi.TEXT);
        assertThat(call.get("thinking_content")).isNull();
        assertThat(call.text("stop_reason")).isEqualTo(callsTool ? "tool_use" : "end_turn");
        assertThat(call.number("input_tokens")).isEqualTo(talk.input(usage));
        assertThat(call.number("output_tokens")).isEqualTo(usage.output());
        assertThat(call.number("duration_ms")).isNotNegative();
        assertThat(call.number("response_bytes")).isPositive();
        assertThat(call.real("estimated_cost_usd")).isCloseTo(talk.cost(usage), within(1e-9));
        if (callsTool) {
            assertThat(call.text("usage_details")).contains("\"cache_read\":" + usage.cached());
        }
    }

    private void toolRows(List<Row> calls, String trace) {
        Row asked = sandbox.awaitRow("SELECT * FROM tool_calls WHERE trace_id = ?", trace);
        assertThat(asked.number("model_call_id")).isEqualTo(calls.getFirst().number("id"));
        assertThat(asked.number("call_index")).isZero();
        assertThat(asked.text("tool_name")).isEqualTo("get_weather");
        assertThat(asked.text("arguments").replace(" ", "")).isEqualTo("{\"city\":\"Oslo\"}");
        assertThat(asked.text("origin")).isEqualTo("native");
        assertThat(asked.get("mcp_call_id")).isNull();

        Row answered = sandbox.awaitRow("SELECT * FROM tool_responses WHERE trace_id = ?", trace);
        assertThat(answered.number("model_call_id")).isEqualTo(calls.getLast().number("id"));
        assertThat(answered.text("call_id")).isEqualTo(asked.text("call_id"));
        assertThat(answered.text("content_preview")).contains("sunny, 21 degrees");
        assertThat(answered.number("is_error")).isZero();
    }

    private void interactions(Conversation talk, List<Row> calls, String trace) {
        List<Row> rows =
                sandbox.awaitRows(2, "SELECT * FROM ai_model_interactions WHERE trace_id = ? ORDER BY id", trace);
        assertThat(rows).hasSize(2);
        for (int i = 0; i < 2; i++) {
            Row row = rows.get(i);
            ModelApi.Usage usage = i == 0 ? ModelApi.TURN_WITH_TOOL : ModelApi.TURN_WITH_TEXT;
            assertThat(row.number("model_call_id")).isEqualTo(calls.get(i).number("id"));
            assertThat(row.text("provider")).isEqualTo(talk.normalized());
            assertThat(row.text("api_family")).isEqualTo(talk.family());
            assertThat(row.text("model")).isEqualTo(talk.model());
            assertThat(row.text("parse_status")).isEqualTo("complete");
            assertThat(row.text("evidence_status")).isEqualTo("complete");
            assertThat(row.text("source_engine")).isEqualTo("network");
            assertThat(row.text("origin_kind")).isEqualTo("guest_network");
            assertThat(row.text("vm_id")).isEqualTo(sandbox.id());
            assertThat(row.text("profile_id")).isEqualTo(sandbox.profile());
            assertThat(row.number("request_stream")).isOne();
            assertThat(row.number("request_tools_declared_count")).isOne();
            assertThat(row.text("response_stop_reason")).isEqualTo(i == 0 ? "tool_use" : "end_turn");
            assertThat(row.number("usage_input_tokens")).isEqualTo(talk.input(usage));
            assertThat(row.number("usage_output_tokens")).isEqualTo(usage.output());
            assertThat(row.number("usage_estimated_cost_micros")).isEqualTo(Math.round(talk.cost(usage) * 1_000_000));
        }
        String first = rows.getFirst().text("interaction_id");
        String second = rows.getLast().text("interaction_id");
        Row call = sandbox.awaitRow("SELECT * FROM ai_model_tool_calls WHERE interaction_id = ?", first);
        assertThat(call.text("raw_name")).isEqualTo("get_weather");
        assertThat(call.text("normalized_name")).isEqualTo("get_weather");
        assertThat(call.text("arguments_status")).isEqualTo("valid_json");
        assertThat(call.text("origin")).isEqualTo("native_provider_tool");
        assertThat(call.text("parse_confidence")).isEqualTo("high");
        Row result = sandbox.awaitRow("SELECT * FROM ai_model_tool_results WHERE interaction_id = ?", second);
        assertThat(result.text("tool_call_id")).isEqualTo(call.text("tool_call_id"));
        assertThat(result.number("is_error")).isZero();
        assertThat(result.text("result_status")).isEqualTo("returned_to_model");
        assertThat(result.number("returned_to_model")).isOne();
        assertThat(sandbox.awaitRows(
                        1, "SELECT * FROM ai_content_blocks WHERE interaction_id = ? AND kind = 'tool_use'", first))
                .singleElement()
                .satisfies(block -> assertThat(block.text("name")).isEqualTo("get_weather"));
        assertThat(sandbox.awaitRows(
                        1, "SELECT * FROM ai_content_blocks WHERE interaction_id = ? AND kind = 'text'", second))
                .singleElement()
                .satisfies(block -> assertThat(block.text("text_preview")).isEqualTo(ModelApi.TEXT));
        assertThat(sandbox.awaitRows(
                        1, "SELECT * FROM ai_usage_details WHERE interaction_id = ? AND name = 'cache_read'", first))
                .singleElement()
                .satisfies(detail -> assertThat(detail.number("value")).isEqualTo(ModelApi.TURN_WITH_TOOL.cached()));
    }

    private void netRows(Conversation talk, List<Received> received, String trace) {
        List<Row> rows = sandbox.awaitRows(2, "SELECT * FROM net_events WHERE trace_id = ? ORDER BY id", trace);
        assertThat(rows).hasSize(2);
        for (int i = 0; i < 2; i++) {
            Row row = rows.get(i);
            assertThat(row.text("domain")).isEqualTo(talk.origin() + ".example.test");
            assertThat(row.number("port")).isEqualTo(origin(talk).port());
            assertThat(row.text("decision")).isEqualTo("allowed");
            assertThat(row.text("process_name")).isEqualTo("node");
            assertThat(row.text("method")).isEqualTo("POST");
            assertThat(row.text("path")).isEqualTo(talk.path());
            assertThat(row.number("status_code")).isEqualTo(200);
            assertThat(row.number("bytes_sent")).isEqualTo(received.get(i).bodyBytes());
            assertThat(row.number("bytes_received")).isPositive();
            assertThat(row.text("conn_type")).isEqualTo("https-mitm");
            assertThat(row.text("policy_mode")).isEqualTo("enforce");
            assertThat(row.text("policy_action")).isEqualTo("allow");
            assertThat(row.text("policy_rule")).startsWith("security.rules.");
            assertThat(row.text("request_headers")).contains("content-type: application/json");
            assertThat(row.text("response_headers")).contains("content-type: text/event-stream");
        }
    }

    private void securityEvents(String trace) {
        for (String type : List.of("http.request", "model.request", "model.response")) {
            List<Row> rows = sandbox.awaitRows(
                    2, "SELECT * FROM security_events WHERE trace_id = ? AND event_type = ?", trace, type);
            assertThat(rows).as("%s", type).hasSize(2);
            for (Row row : rows) {
                assertThat(row.text("event_family")).isEqualTo(type.replaceFirst("\\..*", ""));
                assertThat(row.text("source_engine")).isEqualTo("network");
                assertThat(row.text("final_action")).isEqualTo("continue");
                assertThat(row.text("enforceability")).isEqualTo("inline_blockable");
                assertThat(row.text("origin_kind")).isEqualTo("guest_network");
                assertThat(row.text("vm_id")).isEqualTo(sandbox.id());
                assertThat(row.text("profile_id")).isEqualTo(sandbox.profile());
                assertThat(sandbox.rows(
                                "SELECT * FROM security_event_steps WHERE event_id = ? AND kind = 'enforcement_match'",
                                row.text("event_id")))
                        .as("%s", type)
                        .extracting(step -> step.text("rule_id"))
                        .containsExactlyElementsOf(rules(type));
            }
        }
    }

    /// A request is judged by its name, and once more by the address that it leads to.
    private static List<String> rules(String type) {
        return switch (type) {
            case "http.request" -> List.of("security.rules.http.names", "security.rules.http.world");
            case "model.request" -> List.of("security.rules.model.world");
            default -> List.of("security.rules.model.answers");
        };
    }

    /// A gateway that no profile names, such as OpenRouter's: known by the shape of what it is asked.
    @Test
    void modelRulesHoldOnHostsThatNobodyConfigured() {
        HttpOrigin router = world.origin("router", new ModelApi());
        String ask = "curl -sSi -H 'content-type: application/json' -d '{\"model\": \"%s\","
                + " \"messages\": [{\"role\": \"user\", \"content\": \"hi\"}]}' https://{router}/api/v1/chat/completions";

        Executed refused = sandbox.exec(ask.formatted("maker/forbidden"));

        assertThat(refused.stdout()).contains(" 403", "security.rules.model.everything");
        assertThat(router.received()).isEmpty();
        Row block = sandbox.awaitRow("SELECT * FROM net_events WHERE domain = 'router.example.test'");
        assertThat(block.text("decision")).isEqualTo("denied");
        assertThat(block.text("policy_rule")).isEqualTo("security.rules.model.everything");
        assertThat(sandbox.awaitRows(
                        1,
                        "SELECT * FROM security_events WHERE event_type = 'model.request' AND final_action = 'block'"))
                .hasSize(1);

        assertThat(sandbox.exec(ask.formatted("maker/allowed")).stdout()).contains(" 200", ModelApi.TEXT);

        Row call = sandbox.awaitRow("SELECT * FROM model_calls WHERE path = '/api/v1/chat/completions'");
        assertThat(call.text("provider")).isEqualTo("unknown");
        assertThat(call.text("model")).isEqualTo("maker/allowed");
        assertThat(call.number("output_tokens")).isEqualTo(ModelApi.TURN_WITH_TEXT.output());
        assertThat(call.get("estimated_cost_usd")).isNull();
    }

    /// An API that has nothing but its path in common with a model's.
    @Test
    void anotherApiOnTheSamePathIsCarriedAsBefore() {
        HttpOrigin letters = world.origin("letters");

        Executed run = sandbox.exec("curl -sSi -H 'content-type: application/json'"
                + " -d '{\"to\": \"you\", \"text\": \"hi\"}' https://{letters}/v1/messages");

        assertThat(letters.received("/v1/messages")).as(run.stdout()).hasSize(1);
        Row row = sandbox.awaitRow("SELECT * FROM net_events WHERE domain = 'letters.example.test'");
        assertThat(row.text("decision")).isEqualTo("allowed");
        assertThat(row.get("trace_id")).isNull();
    }

    /// The same APIs without streaming, and Gemini's growing array.
    @Test
    void repliesThatDoNotStreamAreUnderstoodToo() {
        String body =
                "{\"model\": \"%s\", \"max_tokens\": 50, \"messages\": [{\"role\": \"user\", \"content\": \"plain\"}]}";
        sandbox.exec("curl -sS -H 'content-type: application/json' -d '" + body.formatted("claude-haiku-4-5")
                + "' 'https://{anthropic}/v1/messages?plain=1'");
        sandbox.exec("curl -sS -H 'content-type: application/json' -d '" + body.formatted("gpt-4o-mini")
                + "' https://{openai}/v1/chat/completions");
        sandbox.exec("curl -sS -H 'content-type: application/json' -d"
                + " '{\"contents\": [{\"role\": \"user\", \"parts\": [{\"text\": \"plain\"}]}]}'"
                + " https://{gemini}/v1beta/models/gemini-2.5-flash:generateContent");
        sandbox.exec(
                "curl -sS -H 'content-type: application/json' -d"
                        + " '{\"contents\": [{\"role\": \"user\", \"parts\": [{\"text\": \"array\"}]}]}'"
                        + " 'https://{gemini}/v1beta/models/gemini-2.5-flash:streamGenerateContent?key=AIza-test-0005-0123456789abcdef012345'");

        List<Row> rows = sandbox.awaitRows(
                4, "SELECT * FROM model_calls WHERE process_name = 'curl' AND provider != 'unknown' ORDER BY id");

        assertThat(rows).hasSize(4).allSatisfy(row -> {
            assertThat(row.text("text_content")).isEqualTo(ModelApi.TEXT);
            assertThat(row.text("stop_reason")).isEqualTo("end_turn");
            assertThat(row.number("input_tokens")).isEqualTo(ModelApi.TURN_WITH_TEXT.input());
            assertThat(row.number("output_tokens")).isEqualTo(ModelApi.TURN_WITH_TEXT.output());
            assertThat(row.real("estimated_cost_usd")).isPositive();
        });
        assertThat(rows).extracting(row -> row.number("stream")).containsExactly(0L, 0L, 0L, 1L);
        assertThat(sandbox.everything()).doesNotContain("AIza-test-0005");
    }

    /// A real agent, unchanged, completes a turn: the model asks for a command, the agent runs it and reports back.
    @Test
    void claudeCodeCompletesATurnWithATool() {
        Assumptions.assumeTrue(
                Files.isExecutable(
                        NetClients.FOLDER.resolve("node_modules/@anthropic-ai/claude-code-linux-x64/claude")),
                "skipped: @anthropic-ai/claude-code is not installed; ./capsem setup --tests installs it");
        int before = world.anthropic().received().size();

        Executed run = sandbox.exec("mkdir -p /root/work && cd /root/work && env ANTHROPIC_BASE_URL=https://{anthropic}"
                + " ANTHROPIC_API_KEY=sk-ant-test-0006 ANTHROPIC_MODEL=claude-haiku-4-5 IS_SANDBOX=1"
                + " CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 DISABLE_AUTOUPDATER=1"
                + " /root/clients/node_modules/@anthropic-ai/claude-code-linux-x64/claude"
                + " -p 'make a file' --output-format json --allowedTools Bash < /dev/null; echo; cat made.txt");

        assertThat(run.stdout())
                .as("%s", run.stderr())
                .contains("\"is_error\":false", ModelApi.TEXT)
                .endsWith("made-by-the-tool\n");
        List<Received> received = world.anthropic().received();
        assertThat(received.subList(before, received.size()))
                .filteredOn(request -> request.path().equals("/v1/messages"))
                .hasSizeGreaterThanOrEqualTo(2);
        Row tool = sandbox.awaitRow("SELECT * FROM tool_calls WHERE tool_name = 'Bash'");
        assertThat(tool.text("arguments")).contains(ModelApi.COMMAND);
        assertThat(tool.text("origin")).isEqualTo("native");
        String trace = tool.text("trace_id");
        List<Row> calls = sandbox.awaitRows(2, "SELECT * FROM model_calls WHERE trace_id = ? ORDER BY id", trace);
        assertThat(calls).hasSize(2);
        assertThat(calls).extracting(row -> row.text("stop_reason")).containsExactly("tool_use", "end_turn");
        assertThat(calls).allSatisfy(row -> {
            assertThat(row.text("process_name")).isEqualTo("claude");
            assertThat(row.text("provider")).isEqualTo("anthropic");
            assertThat(row.text("model")).isEqualTo("claude-haiku-4-5");
            assertThat(row.number("stream")).isOne();
            assertThat(row.number("tools_count")).isPositive();
            assertThat(row.real("estimated_cost_usd")).isPositive();
        });
        Row result = sandbox.awaitRow("SELECT * FROM tool_responses WHERE trace_id = ?", trace);
        assertThat(result.text("call_id")).isEqualTo(tool.text("call_id"));
        assertThat(result.number("model_call_id")).isEqualTo(calls.getLast().number("id"));
        assertThat(sandbox.everything()).doesNotContain("sk-ant-test-0006");
    }
}
