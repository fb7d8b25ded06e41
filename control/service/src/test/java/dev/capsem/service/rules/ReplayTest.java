package dev.capsem.service.rules;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.events.RecordedExchange;
import dev.capsem.events.ResolvedEvent;
import dev.capsem.events.row.Projection;
import dev.capsem.events.security.BlockCause;
import dev.capsem.events.security.Decision;
import dev.capsem.events.security.Evaluation;
import dev.capsem.events.security.SecurityEvent;
import dev.capsem.events.vocabulary.EventType;
import dev.capsem.security.RuleCompiler;
import dev.capsem.security.RuleSnapshot;
import dev.capsem.security.SecurityEngine;
import dev.capsem.security.schema.Schema;
import dev.capsem.source.Layer;
import dev.capsem.source.SourceText;
import dev.capsem.telemetry.SessionIdentity;
import dev.capsem.telemetry.write.SessionWriter;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReplayTest {
    private static final RuleCompiler COMPILER = new RuleCompiler();

    /// Conditions per event, each of which some event meets and some does not.
    private static final List<String[]> CORPUS = List.of(
            new String[] {"http.request", "http.request.host == \"api.example.com\""},
            new String[] {"http.request", "http.request.path.startsWith(\"/v1/\")"},
            new String[] {"http.request", "http.request.method == \"POST\" && http.request.port == 443"},
            new String[] {"http.request", "http.request.query.contains(\"page=2\")"},
            new String[] {"http.request", "http.request.header(\"user-agent\").contains(\"curl\")"},
            new String[] {"http.request", "http.request.header(\"authorization\").exists()"},
            new String[] {"http.request", "http.request.body.text.contains(\"hello\")"},
            new String[] {"http.request", "http.request.body.content_type == \"text/plain\""},
            new String[] {"http.request", "http.request.scheme == \"https\" && common.origin_kind == \"guest_network\""
            },
            new String[] {"http.response", "http.response.status == 200"},
            new String[] {"http.response", "http.response.header(\"content-type\") == \"text/html\""},
            new String[] {"http.response", "http.response.body.text.contains(\"welcome\")"},
            new String[] {"http.response", "http.request.host == \"api.example.com\""},
            new String[] {"dns.request", "dns.request.qname.endsWith(\".example.com\")"},
            new String[] {"dns.request", "dns.request.qtype == \"TXT\" || dns.request.transport == \"tcp\""},
            new String[] {"mcp.request", "mcp.request.server_name == \"github\""},
            new String[] {"mcp.request", "mcp.request.tool_name == \"search\""},
            new String[] {"mcp.request", "mcp.request.namespaced_name == \"github__search\""},
            new String[] {"mcp.request", "mcp.request.arguments.repo == \"me/notes\""},
            new String[] {"mcp.request", "mcp.request.arguments.contains(\"notes\")"},
            new String[] {"mcp.request", "mcp.request.arguments_status == \"absent\""},
            new String[] {"mcp.request", "mcp.request.method == \"tools/call\""},
            new String[] {"mcp.response", "mcp.response.is_error"},
            new String[] {"mcp.response", "mcp.response.result_status == \"ok\""},
            new String[] {"mcp.response", "mcp.response.content.contains(\"found\")"},
            new String[] {"mcp.response", "mcp.request.tool_name == \"search\""},
            new String[] {"dns.request", "caller.path == \"/usr/bin/dig\""},
            new String[] {"dns.request", "caller.script == \"/usr/bin/digger\""},
            new String[] {"model.request", "model.request.provider == \"anthropic\""},
            new String[] {"model.request", "model.request.provider == \"openrouter\""},
            new String[] {"model.request", "model.request.model.contains(\"haiku\")"},
            new String[] {"model.request", "model.request.api_family == \"anthropic_messages\""},
            new String[] {"model.request", "model.request.body.text.contains(\"hello\")"},
            new String[] {"model.request", "model.request.tool_results.exists(r, r.content.contains(\"42\"))"},
            new String[] {"model.response", "model.response.stop_reason == \"tool_use\""},
            new String[] {"model.response", "model.response.tool_calls.exists(c, c.name == \"bash\")"},
            new String[] {"model.response", "model.response.tool_calls.exists(c, c.arguments.contains(\"rm -rf\"))"},
            new String[] {"model.response", "model.response.body.text.contains(\"done\")"},
            new String[] {"model.response", "model.response.output_tokens > 4"},
            new String[] {"process.exec", "process.exec.command.startsWith(\"curl\")"},
            new String[] {"process.exec", "process.exec.command_class == \"network\""},
            new String[] {"file.activity", "file.activity.path.startsWith(\"/root/.ssh\")"},
            new String[] {"file.activity", "file.activity.operation == \"create\""},
            new String[] {"file.activity", "file.activity.byte_count > 10"});

    @TempDir
    Path directory;

    @Test
    void decidesRecordedEventsAsItDidWhenTheyHappened() {
        List<RecordedSession.Happened> happened = RecordedSession.events();
        record(happened);

        List<Backtests.Sample> samples = Backtests.samples("lab", directory).samples();

        for (EventType type : Schema.JUDGED) {
            List<SecurityEvent> live = happened.stream()
                    .map(RecordedSession.Happened::event)
                    .filter(event -> event.type() == type)
                    .toList();
            List<Backtests.Sample> again = samples.stream()
                    .filter(sample -> sample.event().type() == type)
                    .toList();
            assertThat(again).as(type.wireName()).hasSameSizeAs(live);
            for (String[] rule : CORPUS) {
                if (!rule[0].equals(type.wireName())) {
                    continue;
                }
                SecurityEngine engine = new SecurityEngine(snapshot(rule[0], rule[1]));
                Set<String> decisions = new HashSet<>();
                for (int i = 0; i < live.size(); i++) {
                    Evaluation before = engine.evaluate(live.get(i));
                    Evaluation after =
                            engine.evaluate(again.get(i).event(), again.get(i).gaps());
                    assertThat(after.decision()).as("%s: %s", type, rule[1]).isEqualTo(before.decision());
                    assertThat(after.rule()).as("%s: %s", type, rule[1]).isEqualTo(before.rule());
                    decisions.add(before.decision().wireName());
                }
                assertThat(decisions).as("%s: %s tells nothing", type, rule[1]).hasSize(2);
            }
        }
    }

    @Test
    void judgesAModelRequestThatNeverBecameACall() {
        record(RecordedSession.blockedModel("{\"stream\":true,\"prompt\":\"hello\"}"));

        Backtests.Samples samples = Backtests.samples("lab", directory);

        assertThat(samples.skipped()).isZero();
        List<Backtests.Sample> models = samples.samples().stream()
                .filter(sample -> sample.event().type() == EventType.MODEL_REQUEST)
                .toList();
        assertThat(models).hasSize(1);
        for (String matching : List.of(
                "model.request.provider == \"anthropic\"",
                "model.request.model == \"claude-haiku-9\"",
                "model.request.stream",
                "model.request.body.text.contains(\"hello\")")) {
            assertThat(decision(models.getFirst(), matching)).as(matching).isEqualTo(Decision.ASK);
        }
        assertThat(decision(models.getFirst(), "model.request.body.text.contains(\"other\")"))
                .isEqualTo(Decision.ALLOW);
        assertUndecided(models, "model.request", "model.request.api_family == \"anthropic_messages\"");
    }

    private static Decision decision(Backtests.Sample sample, String condition) {
        return new SecurityEngine(snapshot("model.request", condition))
                .evaluate(sample.event(), sample.gaps())
                .decision();
    }

    @Test
    void doesNotGuessWhatWasNotKept() {
        record(RecordedSession.events());
        List<Backtests.Sample> samples = Backtests.samples("lab", directory).samples();

        assertUndecided(samples, "http.request", "http.request.header(\"authorization\") == \"Bearer other\"");
        assertUndecided(samples, "http.request", "http.request.address_class == \"private\"");
        assertUndecided(samples, "process.exec", "process.exec.cwd == \"/tmp\"");
    }

    private void assertUndecided(List<Backtests.Sample> samples, String on, String condition) {
        SecurityEngine engine = new SecurityEngine(snapshot(on, condition));
        assertThat(samples.stream()
                        .filter(sample -> sample.event().type().wireName().equals(on))
                        .map(sample -> engine.evaluate(sample.event(), sample.gaps()))
                        .map(Evaluation::outcome))
                .as(condition)
                .contains(new Evaluation.Blocked(BlockCause.BODY_UNREAD));
    }

    private void record(List<RecordedSession.Happened> happened) {
        try (SessionWriter writer = SessionWriter.open(
                directory.resolve("session.db"), new SessionIdentity("lab", "coding", "me"), InstantSource.system())) {
            for (RecordedSession.Stored stored : RecordedSession.stored(happened)) {
                List<Projection> rows = new ArrayList<>(stored.rows());
                Evaluation allowed =
                        new SecurityEngine(snapshot(stored.event().type().wireName(), "true")).evaluate(stored.event());
                writer.recordOrWait(new RecordedExchange(ResolvedEvent.of(stored.event(), allowed), rows));
            }
        }
    }

    private static RuleSnapshot snapshot(String on, String condition) {
        String type = on.substring(0, on.indexOf('.'));
        String toml = """
                [security.rules.%s.it]
                on = "%s"
                if = '''%s'''
                decision = "ask"
                [security.rules.%s.rest]
                on = "%s"
                if = "true"
                decision = "allow"
                priority = 1000
                """.formatted(type, on, condition, type, on);
        return switch (COMPILER.compile(List.of(new SourceText("test.toml", Layer.USER, toml)))) {
            case RuleCompiler.Result.Compiled compiled -> compiled.snapshot();
            case RuleCompiler.Result.Rejected rejected -> throw new AssertionError(String.valueOf(rejected.problems()));
        };
    }
}
