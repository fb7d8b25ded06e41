package dev.capsem.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.wire.json.Json;
import dev.capsem.wire.service.SandboxSummary;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// No table wraps, and each keeps the column that other commands take.
class NarrowScreenTest {
    private static final String LONG = "a-rather-long-text-".repeat(8);

    private final CliHarness cli = new CliHarness();

    /// What a command asks, what it is told, and what must stand in its answer.
    private record Case(String route, String reply, String key, List<String> words) {
        Case(String route, String reply, String key, String... words) {
            this(route, reply, key, List.of(words));
        }
    }

    private static final List<Case> CASES = List.of(
            new Case("GET /cost/lab?by=trace", """
                    {"rows":[{"key":"4bf92f3577b34da6a3ce929d0e0e4736","first_at":"2026-01-31T12:00:00.1Z",
                      "models":"claude-opus-4-8-20260101","calls":123,"input_tokens":123456,"output_tokens":98765,
                      "cache_read_tokens":1234567,"duration_ms":1234567,"known_cost_usd":12.3456}],
                     "total":{"calls":123,"input_tokens":123456,"output_tokens":98765,"known_cost_usd":12.3456}}
                    """, "4bf92f3577b34da6", "cost", "lab"),
            new Case("GET /cost?by=sandbox", """
                    {"rows":[{"key":"brave-otter-of-the-north","calls":123,"input_tokens":123456,"output_tokens":98765,
                      "cache_read_tokens":1234567,"duration_ms":1234567,"known_cost_usd":12.3456}],
                     "total":{"calls":123}}
                    """, "brave-otter-of-the-north", "cost"),
            new Case("GET /rules?sandbox=lab", """
                    {"profile_id":"coding","rules":[{"priority":1000,"id":"security.rules.http.registry_npm_1",
                      "callback":"http.request","decision":"allow","match_count":1234,
                      "provenance":{"source":"built-in","path":"/a/coding.toml","locked":true}}]}
                    """, "http.registry_npm_1", "rules", "list", "--sandbox", "lab"),
            new Case("GET /timeline/lab", """
                    {"notes":[],"rows":[
                      ["2026-01-31T12:00:01.250123Z","net",1,"GET https://LONG policy=block/security.rules.http.LONG",
                       "403",1234567,"4bf92f3577b34da6a3ce929d0e0e4736"],
                      ["2026-01-31T12:00:01.250123Z","security",1,"LONG","a-status-that-is-long",null,""]]}
                    """, "12:00:01", "timeline", "lab"),
            new Case("GET /profiles", """
                    {"chosen":"coding","profiles":[{"id":"coding","source":"company, signed","description":"LONG"}]}
                    """, "coding", "profiles", "list"),
            new Case(
                    "GET /secrets",
                    "{\"secrets\":[{\"name\":\"anthropic\",\"set_at\":\"2026-01-31T12:00:00Z\"}]}",
                    "anthropic",
                    "secret",
                    "list"),
            new Case("GET /tokens", """
                    {"tokens":[{"id":"tok_0123456789","name":"LONG","scopes":["read","write","admin"],
                      "expires_at":"2026-01-31T12:00:00Z"}]}
                    """, "tok_0123456789", "token", "list"),
            new Case("GET /mcp/connectors", """
                    {"servers":[{"id":"everything","source":"company, signed",
                      "server":{"type":"http","url":"https://LONG"}}]}
                    """, "everything", "mcp", "list"),
            new Case("GET /mcp/tools/lab", """
                    {"servers":[],"tools":[{"name":"everything__get_structured_content","server_name":"everything",
                      "state":"changed","description":"LONG","diff":[]}]}
                    """, "everything__get_structured_content", "mcp", "tools", "lab"),
            new Case("GET /confirm/pending", """
                    {"pending":[{"id":"q-0123456789","sandbox":"brave-otter-of-the-north","subject":"LONG","rule":"LONG",
                      "deadline":"2026-01-31T12:02:00Z"}]}
                    """, "q-0123456789", "approvals"),
            new Case(
                    "POST /inspect/lab",
                    "{\"columns\":[\"domain\",\"path\",\"n\"],\"rows\":[[\"LONG\",\"LONG\",2]]}",
                    "a-rather",
                    "inspect",
                    "lab",
                    "select 1"));

    @BeforeEach
    void fill() {
        CASES.forEach(each -> cli.service.answers.put(each.route, each.reply.replace("LONG", LONG)));
    }

    @Test
    void noTableWrapsAtSixtyEightyAndTwoHundredColumns() {
        for (Case each : CASES) {
            for (int columns : List.of(60, 80, 200)) {
                cli.environment.put("COLUMNS", Integer.toString(columns));

                String out = cli.run(each.words.toArray(String[]::new)).out();

                assertThat(out).as("%s at %d", each.words, columns).contains(each.key);
                assertThat(out.lines()).as("%s at %d", each.words, columns).allMatch(line -> line.length() <= columns);
            }
        }
    }

    @Test
    void listNamesTheSandboxItsChangesAndItsCommand() {
        cli.service.sandboxes.add(SandboxSummary.fromJson(Json.parse("""
                {"id":"brave-otter-tmp","status":"Running","ram_mb":2048,"cpus":2,"uptime_secs":7500,
                 "project":"/home/me/projects/some/where/app","last_command":"claude -p \\"fix the tests\\"","changes":53}
                """.getBytes(StandardCharsets.UTF_8))));
        for (Map.Entry<Integer, List<String>> each : Map.of(
                        60, List.of("CHANGES", "COMMAND"), 80, List.of("CHANGES", "COMMAND"), 200, List.of("RAM"))
                .entrySet()) {
            cli.environment.put("COLUMNS", each.getKey().toString());

            String out = cli.run("list").out();

            assertThat(out)
                    .contains("brave-otter-tmp", "running", "53", "claude -p")
                    .contains(each.getValue());
            assertThat(out.lines()).allMatch(line -> line.length() <= each.getKey());
        }
        assertThat(cli.run("list", "--json").out()).contains("\"last_command\"", "\"changes\":53");
    }
}
