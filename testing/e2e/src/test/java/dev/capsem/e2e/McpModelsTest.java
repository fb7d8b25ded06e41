package dev.capsem.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.e2e.Installation.Executed;
import dev.capsem.e2e.NetSandbox.Row;
import dev.capsem.testkit.http.HttpOrigin;
import dev.capsem.testkit.llm.ModelApi;
import dev.capsem.testkit.llm.ScriptedModel;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// A model that streams asks for tools of ours; a program inside the sandbox runs them by the relay and tells the model
/// what came out. Both sides of each call are on record, and know of each other.
@Tag("e2e")
class McpModelsTest {
    private static final List<ScriptedModel.Step> STEPS = List.of(
            new ScriptedModel.Step("local__echo", "{\"text\": \"said first\"}"),
            new ScriptedModel.Step("local__echo", "{\"text\": \"said second\"}"));

    @Test
    void whatAModelAsksForIsLinkedToTheCallThatAnsweredIt() {
        ScriptedModel model = new ScriptedModel(STEPS);
        try (World world = new World()) {
            HttpOrigin origin = world.origin("scripted", model);
            String profile = McpServers.profileWithoutServers(world)
                    .replace(
                            "https://anthropic.example.test:"
                                    + world.anthropic().port(),
                            "https://scripted.example.test:" + origin.port());
            try (NetSandbox sandbox = NetSandbox.startUnder(Account.available().getFirst(), world, profile)) {
                Executed run = sandbox.exec("python3 $S/tool_loop.py https://{scripted}");

                assertThat(run.stdout()).as("%s", run.stderr()).isEqualTo(ModelApi.TEXT + "\n");
                assertThat(model.results()).hasSize(2);
                assertThat(model.results().get(0)).contains("said first");
                assertThat(model.results().get(1)).contains("said second");
                linked(sandbox);
                returned(sandbox);
                assertThat(sandbox.everything()).doesNotContain("sk-ant-test-0008");
            }
        }
    }

    private static void linked(NetSandbox sandbox) {
        List<Row> asked = sandbox.awaitRows(2, "SELECT * FROM tool_calls WHERE mcp_call_id IS NOT NULL ORDER BY id");
        List<Row> normalized = sandbox.awaitRows(2, "SELECT * FROM ai_model_tool_calls ORDER BY id");
        List<Row> evidence = sandbox.awaitRows(2, "SELECT * FROM ai_mcp_execution_evidence ORDER BY id");
        List<Row> executed = sandbox.awaitRows(2, "SELECT * FROM mcp_calls WHERE method = 'tools/call' ORDER BY id");
        String trace = asked.getFirst().text("trace_id");
        for (int i = 0; i < STEPS.size(); i++) {
            assertThat(asked.get(i).text("origin")).isEqualTo("mcp_proxy");
            assertThat(asked.get(i).text("tool_name")).isEqualTo("local__echo");
            assertThat(asked.get(i).text("trace_id")).isEqualTo(trace);
            assertThat(asked.get(i).number("mcp_call_id"))
                    .isEqualTo(executed.get(i).number("id"));
            assertThat(executed.get(i).text("trace_id")).isEqualTo(trace);
            assertThat(executed.get(i).text("request_preview"))
                    .contains(STEPS.get(i).arguments().replace(": ", ":"));
            assertThat(normalized.get(i).text("origin")).isEqualTo("mcp_tool");
            assertThat(normalized.get(i).text("linked_mcp_call_id"))
                    .isEqualTo(executed.get(i).text("request_id"))
                    .isEqualTo(evidence.get(i).text("mcp_call_id"));
            assertThat(evidence.get(i).text("link_status")).isEqualTo("linked");
            assertThat(evidence.get(i).text("linked_model_tool_call_id"))
                    .isEqualTo(asked.get(i).text("call_id"));
            assertThat(evidence.get(i).text("linked_model_interaction_id"))
                    .isEqualTo(normalized.get(i).text("interaction_id"));
        }
        for (String table : List.of("tool_calls", "ai_mcp_execution_evidence", "ai_model_tool_calls")) {
            assertThat(sandbox.rows("SELECT id FROM " + table)).as(table).hasSize(2);
        }
    }

    private static void returned(NetSandbox sandbox) {
        List<Row> results = sandbox.awaitRows(
                2, "SELECT * FROM ai_model_tool_results WHERE linked_mcp_call_id IS NOT NULL ORDER BY id");
        assertThat(results).extracting(row -> row.text("linked_mcp_call_id")).containsExactly("0", "1");
        assertThat(sandbox.rows("SELECT status FROM ai_model_tool_calls"))
                .extracting(row -> row.text("status"))
                .containsOnly("returned_to_model");
    }
}
