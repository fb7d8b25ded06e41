package dev.capsem.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.capsem.e2e.Commands.Outcome;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import tools.jackson.databind.JsonNode;

/// What whoever runs sandboxes is shown of their traffic: cost, a live view, a file for other tools, numbers.
@Tag("e2e")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class NetOpsTest {
    private static final String ASK_CLAUDE = "curl -sS https://{anthropic}/v1/messages"
            + " -H 'content-type: application/json' -H 'x-api-key: sk-ant-test-0001'"
            + " -d '{\"model\": \"claude-haiku-4-5\", \"max_tokens\": 9, \"messages\":"
            + " [{\"role\": \"user\", \"content\": \"hi\"}]}'";

    private static final String ASK_GPT = "python3 -c \"import urllib.request as u; u.urlopen(u.Request("
            + "'https://{openai}/v1/chat/completions', headers={'content-type': 'application/json'},"
            + " data=b'{\\\"model\\\": \\\"gpt-4o-mini\\\", \\\"messages\\\":"
            + " [{\\\"role\\\": \\\"user\\\", \\\"content\\\": \\\"hi\\\"}]}')).read()\"";

    /// 1300 tokens in, 10 out, by the public price lists.
    private static final double CLAUDE_COST = (1_300 * 1.0 + 10 * 5.0) / 1e6;

    private static final double GPT_COST = (1_300 * 0.15 + 10 * 0.6) / 1e6;
    private static final double ROUNDING = 1e-9;

    private World world;
    private NetSandbox sandbox;

    @BeforeAll
    void traffic() {
        world = new World();
        sandbox = NetSandbox.startAlone(Account.available().getLast(), world, "");
        sandbox.exec("curl -sS 'https://{web}/text?a=b%20c&d'");
        sandbox.exec("curl -sS -H 'content-type: text/plain' -d 'some words' http://{plain}/echo");
        sandbox.exec("curl -sS https://{web}/inward");
        sandbox.exec("curl -sS --resolve blocked.elsewhere.test:443:203.0.113.1 -k https://blocked.elsewhere.test/x");
        sandbox.exec("printf '\\001\\002' | python3 $S/raw.py http 203.0.113.15 22 -");
        sandbox.exec(ASK_CLAUDE);
        sandbox.exec(ASK_GPT);
        sandbox.awaitRows(2, "SELECT * FROM model_calls");
        sandbox.awaitRows(7, "SELECT * FROM net_events");
    }

    @AfterAll
    void end() {
        sandbox.close();
        world.close();
    }

    private JsonNode json(String... arguments) {
        Outcome outcome = sandbox.installation().capsem(arguments);
        assertThat(outcome.exitCode()).as("%s", outcome.stderr()).isZero();
        return Installation.JSON.readTree(outcome.stdoutBytes());
    }

    @Test
    void costIsThatOfTheTurnsByModelProcessAndTrace() {
        JsonNode byModel = json("cost", sandbox.id(), "--by", "model", "--json");
        JsonNode byProcess = json("cost", sandbox.id(), "--by", "process", "--json");
        JsonNode byTrace = json("cost", sandbox.id(), "--by", "trace", "--json");
        String table = sandbox.installation().capsem("cost", sandbox.id()).stdout();

        assertThat(keys(byModel)).containsExactly("claude-haiku-4-5", "gpt-4o-mini");
        assertThat(keys(byProcess)).containsExactly("curl", "python3");
        assertThat(keys(byTrace))
                .containsExactlyElementsOf(sandbox.rows("SELECT trace_id FROM model_calls ORDER BY id").stream()
                        .map(row -> row.text("trace_id"))
                        .toList());
        for (JsonNode report : List.of(byModel, byProcess, byTrace)) {
            turn(report.path("rows").get(0), CLAUDE_COST);
            turn(report.path("rows").get(1), GPT_COST);
            JsonNode total = report.path("total");
            assertThat(total.path("calls").asLong()).isEqualTo(2);
            assertThat(total.path("input_tokens").asLong()).isEqualTo(2_600);
            assertThat(total.path("cost_usd").asDouble()).isCloseTo(CLAUDE_COST + GPT_COST, within(ROUNDING));
        }
        assertThat(table).contains("claude-haiku-4-5", "gpt-4o-mini", "$0.0014", "total");
    }

    private static List<String> keys(JsonNode report) {
        return report.path("rows").findValuesAsString("key");
    }

    private static void turn(JsonNode row, double cost) {
        assertThat(row.path("calls").asLong()).isEqualTo(1);
        assertThat(row.path("input_tokens").asLong()).isEqualTo(1_300);
        assertThat(row.path("output_tokens").asLong()).isEqualTo(10);
        assertThat(row.path("unknown_calls").asLong()).isZero();
        assertThat(row.path("cost_usd").asDouble()).isCloseTo(cost, within(ROUNDING));
    }

    @Test
    void exportIsAnArchiveOfEveryHttpExchange() {
        JsonNode log = json("export", sandbox.id(), "--har").path("log");

        assertThat(log.path("version").asString()).isEqualTo("1.2");
        assertThat(log.path("creator").path("name").asString()).isEqualTo("Capsem");
        assertThat(log.path("creator").path("version").asString()).isNotBlank();
        log.path("entries").forEach(NetOpsTest::isEntry);
        assertThat(log.path("entries")
                        .valueStream()
                        .map(entry -> entry.path("request").path("url").asString()))
                .containsSubsequence(
                        world.place("web").url("/text?a=b%20c&d"),
                        world.place("plain").url("/echo").replace("https:", "http:"),
                        world.place("web").url("/inward"),
                        "https://blocked.elsewhere.test/x",
                        world.place("anthropic").url("/v1/messages"),
                        world.place("openai").url("/v1/chat/completions"));

        JsonNode first = log.path("entries").get(0);
        assertThat(first.path("request").path("queryString").toString())
                .isEqualTo("[{\"name\":\"a\",\"value\":\"b c\"},{\"name\":\"d\",\"value\":\"\"}]");
        assertThat(first.path("response").path("status").asInt()).isEqualTo(200);
        assertThat(first.path("response").path("content").path("mimeType").asString())
                .isEqualTo("text/plain; charset=utf-8");
        assertThat(first.path("response").path("content").path("text").asString())
                .isEqualTo(World.TEXT);
        assertThat(first.path("_process").asString()).isEqualTo("curl");
        JsonNode posted = log.path("entries").get(1).path("request");
        assertThat(posted.path("method").asString()).isEqualTo("POST");
        assertThat(posted.path("postData").path("text").asString()).isEqualTo("some words");
        assertThat(posted.path("bodySize").asInt()).isEqualTo(10);
        JsonNode redirect = log.path("entries").get(2).path("response");
        assertThat(redirect.path("status").asInt()).isEqualTo(302);
        assertThat(redirect.path("redirectURL").asString())
                .as("its value is hashed, so it is no address")
                .isEmpty();
        JsonNode blocked = log.path("entries").get(3);
        assertThat(blocked.path("_decision").asString()).isEqualTo("denied");
        assertThat(blocked.path("response").path("status").asInt()).isEqualTo(403);
        assertThat(log.toString()).doesNotContain("cookie-secret-1", "sk-ant-test-0001");
    }

    /// What HAR 1.2 asks of an entry, member by member.
    private static void isEntry(JsonNode entry) {
        assertThat(Instant.parse(entry.path("startedDateTime").asString())).isNotNull();
        assertThat(entry.path("time").isNumber()).isTrue();
        assertThat(entry.path("cache").isObject()).isTrue();
        double parts = 0;
        for (String part : List.of("send", "wait", "receive")) {
            assertThat(entry.path("timings").path(part).isNumber()).as(part).isTrue();
            parts += entry.path("timings").path(part).asDouble();
        }
        assertThat(parts).isEqualTo(entry.path("time").asDouble());
        JsonNode request = entry.path("request");
        assertThat(request.path("method").asString()).matches("[A-Z]+");
        assertThat(request.path("url").asString()).startsWith("http");
        pairs(request.path("queryString"));
        if (request.has("postData")) {
            assertThat(request.path("postData").path("mimeType").isString()).isTrue();
            assertThat(request.path("postData").path("params").isArray()).isTrue();
            assertThat(request.path("postData").path("text").isString()).isTrue();
        }
        JsonNode response = entry.path("response");
        assertThat(response.path("status").isInt()).isTrue();
        assertThat(response.path("statusText").isString()).isTrue();
        assertThat(response.path("redirectURL").isString()).isTrue();
        assertThat(response.path("content").path("size").isNumber()).isTrue();
        assertThat(response.path("content").path("mimeType").isString()).isTrue();
        for (JsonNode side : List.of(request, response)) {
            assertThat(side.path("httpVersion").asString()).isNotBlank();
            assertThat(side.path("cookies").isArray()).isTrue();
            pairs(side.path("headers"));
            assertThat(side.path("headersSize").isInt()).isTrue();
            assertThat(side.path("bodySize").isNumber()).isTrue();
        }
    }

    private static void pairs(JsonNode list) {
        assertThat(list.isArray()).isTrue();
        list.forEach(pair -> {
            assertThat(pair.path("name").isString()).isTrue();
            assertThat(pair.path("value").isString()).isTrue();
        });
    }

    @Test
    void metricsAreWhatPrometheusReads() {
        Map<String, Double> samples =
                samples(sandbox.installation().get("/metrics").expect(200).text());
        String id = "sandbox=\"" + sandbox.id() + "\"";

        assertThat(samples).containsEntry("capsem_sandboxes{state=\"running\"}", 1.0);
        assertThat(sum(samples, "capsem_mitm_requests_total{" + id, "decision=\"allowed\""))
                .isGreaterThanOrEqualTo(5);
        assertThat(sum(samples, "capsem_mitm_requests_total{" + id, "decision=\"denied\""))
                .isGreaterThanOrEqualTo(1);
        assertThat(sum(samples, "capsem_dns_queries_total{" + id, "")).isPositive();
        assertThat(sum(samples, "capsem_tls_handshake_ms_count{" + id, "")).isGreaterThanOrEqualTo(5);
    }

    private static double sum(Map<String, Double> samples, String start, String label) {
        return samples.entrySet().stream()
                .filter(sample ->
                        sample.getKey().startsWith(start) && sample.getKey().contains(label))
                .mapToDouble(Map.Entry::getValue)
                .sum();
    }

    /// Reads the text format as its description has it: each family once, under its type; histograms that add up.
    private static Map<String, Double> samples(String text) {
        Pattern sample = Pattern.compile(
                "([a-zA-Z_:][a-zA-Z0-9_:]*)(\\{(?:[a-zA-Z_][a-zA-Z0-9_]*=\"(?:[^\"\\\\\\n]|\\\\.)*\",?)+})?"
                        + " (NaN|[+-]?Inf|[-+]?[0-9.eE+-]+)");
        Map<String, Double> samples = new LinkedHashMap<>();
        Set<String> families = new HashSet<>();
        String family = "";
        String type = "";
        for (String line : text.split("\n")) {
            if (line.startsWith("# TYPE ")) {
                String[] words = line.split(" ");
                family = words[2];
                type = words[3];
                assertThat(families.add(family)).as(line).isTrue();
                assertThat(type).isIn("counter", "gauge", "histogram");
            } else if (!line.startsWith("# HELP ")) {
                Matcher matcher = sample.matcher(line);
                assertThat(matcher.matches()).as(line).isTrue();
                String name = type.equals("histogram")
                        ? matcher.group(1).replaceFirst("_(bucket|sum|count)$", "")
                        : matcher.group(1);
                assertThat(name).as(line).isEqualTo(family);
                String series = matcher.group(1) + (matcher.group(2) == null ? "" : matcher.group(2));
                double value = Double.parseDouble(matcher.group(3).replace("Inf", "Infinity"));
                assertThat(samples.put(series, value)).as("twice: %s", line).isNull();
            }
        }
        assertThat(text).endsWith("\n");
        samples.forEach((series, count) -> {
            if (series.contains("_count{")) {
                String all = series.replace("_count{", "_bucket{").replaceFirst("}$", ",le=\"+Inf\"}");
                assertThat(samples).as(series).containsEntry(all, count);
            }
        });
        return samples;
    }

    @Test
    void trafficIsShownWhileItHappens() throws IOException, InterruptedException {
        Installation home = sandbox.installation();
        Process tail = home.begin("net", "tail", sandbox.id(), "--json");
        try (BufferedReader lines = tail.inputReader(StandardCharsets.UTF_8);
                BufferedReader remarks = tail.errorReader(StandardCharsets.UTF_8)) {
            assertThat(remarks.readLine()).contains("watching " + sandbox.id());

            sandbox.exec("curl -sS https://{web}/chunks; curl -sS https://nowhere.elsewhere.test/");

            List<JsonNode> seen = new ArrayList<>();
            while (!has(seen, "net_events", "path", "/chunks")
                    || !has(seen, "dns_events", "qname", "nowhere.elsewhere.test")) {
                String line = lines.readLine();
                assertThat(line).as("the end came first; seen %s", seen).isNotNull();
                seen.add(Installation.JSON.readTree(line));
            }
            assertThat(tail.isAlive()).isTrue();
        } finally {
            tail.destroyForcibly().waitFor(10, TimeUnit.SECONDS);
        }
    }

    private static boolean has(List<JsonNode> seen, String table, String column, String value) {
        return seen.stream()
                .flatMap(exchange -> exchange.path("rows").valueStream())
                .anyMatch(row -> row.path("table").asString().equals(table)
                        && row.path(column).asString("").equals(value));
    }

    /// A private authority instead of the built-in one: sandboxes that start afterwards trust it, and it signs.
    @Test
    void anAuthorityOfOnesOwnSignsForNewSandboxes() {
        Installation home = sandbox.installation();
        JsonNode before = json("ca", "show", "--json");

        JsonNode generated = json("ca", "generate", "--json");
        JsonNode after = json("ca", "show", "--json");

        assertThat(before.path("source").asString()).isEqualTo("built_in");
        assertThat(after.path("source").asString()).isEqualTo("private");
        assertThat(after.path("sha256").asString())
                .isEqualTo(generated.path("sha256").asString())
                .isNotEqualTo(before.path("sha256").asString());
        assertThat(home.capsem("ca", "show", "--pem").stdout()).startsWith("-----BEGIN CERTIFICATE-----");
        assertThat(home.capsem("ca", "generate").exitCode())
                .as("without --force")
                .isNotZero();
        String fresh = home.create("{\"profile_id\":\"" + sandbox.profile() + "\"}");
        String show = world.command("curl -sS -w '%{certs}' -o /dev/null https://{web}/text");
        assertThat(home.exec(fresh, world.command("curl -sS https://{web}/text"))
                        .stdout())
                .isEqualTo(World.TEXT);
        assertThat(home.exec(fresh, show).stdout())
                .contains(lastLineOf(home.capsem("ca", "show", "--pem").stdout()));
        assertThat(sandbox.exec("curl -sS https://{web}/text").stdout())
                .as("one that runs keeps the old one")
                .isEqualTo(World.TEXT);
        home.delete("/delete/" + fresh).expect(200);
    }

    /// Of the certificate itself: no other one ends alike.
    private static String lastLineOf(String pem) {
        List<String> lines = pem.lines().toList();
        return lines.get(lines.size() - 2);
    }
}
