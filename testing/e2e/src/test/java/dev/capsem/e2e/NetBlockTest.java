package dev.capsem.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import dev.capsem.e2e.Installation.Executed;
import dev.capsem.e2e.NetSandbox.Row;
import dev.capsem.testkit.http.HttpOrigin;
import dev.capsem.testkit.http.Received;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;

/// A block means that nothing left: the upstream's own log is empty, and the record says what was refused.
@Tag("e2e")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class NetBlockTest {
    private static final String RULES = """
            [security.rules.http.no_host]
            on = "http.request"
            if = 'http.request.host == "hosts.example.test"'
            decision = "block"
            priority = 10
            reason = "this host is off limits"

            [security.rules.http.no_path]
            on = "http.request"
            if = 'http.request.host == "paths.example.test" && http.request.path.startsWith("/forbidden")'
            decision = "block"
            priority = 10

            [security.rules.http.no_header]
            on = "http.request"
            if = 'http.request.host == "headers.example.test" && http.request.header("x-secret").exists()'
            decision = "block"
            priority = 10

            [security.rules.http.no_body]
            on = "http.request"
            if = 'http.request.host == "bodies.example.test" && http.request.body.text.contains("BEGIN PRIVATE KEY")'
            decision = "block"
            priority = 10

            [security.rules.http.no_message]
            on = "http.request"
            if = 'http.request.host == "spoken.example.test" && http.request.body.text.contains("BEGIN PRIVATE KEY")'
            decision = "block"
            priority = 10
            reason = "keys stay here"

            [security.rules.http.unspoken]
            on = "http.request"
            if = 'http.request.host == "unspoken.elsewhere.test"'
            decision = "allow"
            priority = 10

            [security.rules.http.strip]
            on = "http.request"
            if = 'http.request.host == "strip.example.test"'
            decision = "rewrite"
            priority = 20
            strip_request_headers = ["authorization", "x-api-key"]

            [security.rules.http.strip_answer]
            on = "http.response"
            if = 'http.request.host == "cookies.example.test"'
            decision = "rewrite"
            priority = 20
            strip_response_headers = ["set-cookie"]

            [security.rules.http.no_answer]
            on = "http.response"
            if = 'http.request.host == "answers.example.test" && http.response.body.text.contains("plain text")'
            decision = "block"
            priority = 20

            [security.rules.http.new_path]
            on = "http.request"
            if = 'http.request.host == "rewrites.example.test"'
            decision = "rewrite"
            priority = 20
            rewrite_target = 'http.request.path =~ "^/old/(?P<rest>.*)$"'
            rewrite_value = "/${rest}"

            [security.rules.http.no_address]
            on = "http.request"
            if = 'http.request.address == "93.184.216.34"'
            decision = "block"
            priority = 10

            [security.rules.dns.no_name]
            on = "dns.request"
            if = 'dns.request.qname == "names.example.test"'
            decision = "block"
            priority = 10

            [security.rules.dns.elsewhere]
            on = "dns.request"
            if = 'dns.request.qname.endsWith(".elsewhere.test")'
            decision = "allow"
            priority = 10

            [security.rules.model.no_model]
            on = "model.request"
            if = 'model.request.model == "forbidden-model"'
            decision = "block"
            priority = 10
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

    /// @param origin whose log must stay empty
    /// @param rule that the answer and the record name; empty if none decided
    private record Case(String name, String origin, String command, String rule) {}

    @TestFactory
    List<DynamicTest> whatARuleBlocksNeverLeaves() {
        String key = "-----BEGIN PRIVATE KEY-----";
        List<Case> cases = List.of(
                new Case("a host", "hosts", "curl -sSi https://{hosts}/text", "http.no_host"),
                new Case("a path", "paths", "curl -sSi https://{paths}/forbidden/x", "http.no_path"),
                new Case(
                        "a path in other letters",
                        "paths",
                        "curl -sSi --path-as-is 'https://{paths}/a/../%66orbidden'",
                        "http.no_path"),
                new Case("a header", "headers", "curl -sSi -H 'X-Secret: 1' https://{headers}/text", "http.no_header"),
                new Case("a body", "bodies", "curl -sSi -d '" + key + "' https://{bodies}/echo", "http.no_body"),
                new Case(
                        "a body in chunks",
                        "bodies",
                        "(echo -n '-----BEGIN PRIV'; sleep 0.3; echo -n 'ATE KEY-----') |"
                                + " curl -sSi -X POST -H 'Transfer-Encoding: chunked' -T - https://{bodies}/echo",
                        "http.no_body"),
                new Case(
                        "a compressed body",
                        "bodies",
                        "echo '" + key + "' | gzip |"
                                + " curl -sSi -H 'content-encoding: gzip' --data-binary @- https://{bodies}/echo",
                        "http.no_body"),
                new Case(
                        "a body larger than what is inspected",
                        "bodies",
                        "head -c 11000000 /dev/zero | curl -sSi --data-binary @- https://{bodies}/echo",
                        ""),
                new Case(
                        "an upgrade to WebSocket",
                        "hosts",
                        "curl -sSi --http1.1 -H 'upgrade: websocket' -H 'connection: upgrade'"
                                + " -H 'sec-websocket-version: 13' -H 'sec-websocket-key: dGVzdC10ZXN0LXRlc3QhIQ=='"
                                + " https://{hosts}/ws",
                        "http.no_host"));
        Map<String, HttpOrigin> origins = new LinkedHashMap<>();
        for (String name : List.of("hosts", "paths", "headers", "bodies")) {
            origins.put(name, world.origin(name));
        }
        List<DynamicTest> tests = new ArrayList<>();
        for (Case one : cases) {
            tests.add(dynamicTest(one.name(), () -> blocked(one)));
        }
        tests.add(dynamicTest(
                "no upstream heard of any of it",
                () -> origins.forEach((name, origin) -> {
                    assertThat(origin.received()).as("%s", name).isEmpty();
                    assertThat(origin.connections()).as("%s", name).isZero();
                })));
        return tests;
    }

    private void blocked(Case one) {
        String domain = one.origin() + ".example.test";
        // Of requests: a connection that ends badly afterwards, while the guest still sends, has a row of its own.
        String requests = "SELECT * FROM net_events WHERE domain = ? AND method IS NOT NULL ORDER BY id";
        int before = sandbox.rows(requests, domain).size();

        Executed run = sandbox.exec(one.command());

        assertThat(run.stdout()).as("%s", run.stderr()).containsPattern("HTTP/(1.1|2) 403");
        assertThat(run.stdout())
                .containsIgnoringCase("x-capsem-decision: block")
                .contains("Remedy: ");
        List<Row> rows = sandbox.awaitRows(before + 1, requests, domain);
        Row row = rows.getLast();
        assertThat(row.text("decision")).isEqualTo("denied");
        assertThat(String.valueOf(row.get("status_code"))).as("%s", rows).isEqualTo("403");
        assertThat(row.text("policy_action")).isEqualTo("block");
        assertThat(row.text("process_name")).as("%s", rows).isEqualTo("curl");
        if (!one.rule().isEmpty()) {
            String rule = "security.rules." + one.rule();
            assertThat(run.stdout()).contains(rule);
            assertThat(row.text("policy_rule")).isEqualTo(rule);
            assertThat(row.text("matched_rule")).isEqualTo(rule);
            assertThat(sandbox.awaitRows(
                            1,
                            "SELECT * FROM security_events e JOIN security_event_steps s ON s.event_id = e.event_id"
                                    + " WHERE e.final_action = 'block' AND s.kind = 'enforcement_match'"
                                    + " AND s.rule_id = ?",
                            rule))
                    .isNotEmpty();
        }
    }

    @Test
    void agentsThatReadJsonGetJson() {
        world.origin("hosts");

        Executed run = sandbox.exec("curl -sS -H 'accept: application/json' https://{hosts}/text");

        var error = Installation.JSON.readTree(run.stdout()).path("error");
        assertThat(error.path("rule").asString()).isEqualTo("security.rules.http.no_host");
        assertThat(error.path("reason").asString()).isEqualTo("this host is off limits");
        assertThat(error.path("remedy").asString()).isNotBlank();
    }

    @Test
    void blockedNamesAreNeverAsked() {
        world.upstreams().dns().address("names.example.test", "203.0.113.5");

        Executed run = sandbox.exec("getent ahostsv4 names.example.test; getent ahostsv4 nowhere.other.test");

        assertThat(run.stdout()).isEmpty();
        Row row = sandbox.awaitRows(1, "SELECT * FROM dns_events WHERE qname = 'names.example.test' AND qtype = 1")
                .getFirst();
        assertThat(row.text("decision")).isEqualTo("denied");
        assertThat(row.number("qclass")).isOne();
        assertThat(row.number("rcode")).isEqualTo(3);
        assertThat(row.text("matched_rule")).isEqualTo("security.rules.dns.no_name");
        assertThat(row.text("policy_action")).isEqualTo("block");
        assertThat(row.text("source_proto")).isEqualTo("udp");
        assertThat(row.number("upstream_resolver_ms")).isZero();
        assertThat(sandbox.awaitRows(1, "SELECT * FROM dns_events WHERE qname = 'nowhere.other.test'"))
                .allSatisfy(other -> assertThat(other.text("decision")).isEqualTo("denied"));
        assertThat(world.upstreams().dns().asked("names.example.test")).isEmpty();
        assertThat(world.upstreams().dns().asked("nowhere.other.test")).isEmpty();
    }

    /// The name is allowed; where it leads to is not. Nobody listens at most of these addresses, so the record must say
    /// that it was refused, not that it failed.
    @Test
    void namesThatLeadInwardsAreRefused() {
        world.upstreams()
                .dns()
                .address("ten.example.test", "10.1.2.3")
                .address("metadata.example.test", "169.254.169.254")
                .address("anywhere.example.test", "0.0.0.0")
                .address("six.example.test", "fd00::1")
                .mapped("mapped.example.test", "10.1.2.3")
                .address("unspoken.elsewhere.test", "127.0.0.1");
        int port = world.web().port();
        int before = world.web().connections();

        for (String name : List.of(
                "ten.example.test",
                "metadata.example.test",
                "anywhere.example.test",
                "six.example.test",
                "mapped.example.test",
                "unspoken.elsewhere.test")) {
            Executed run =
                    sandbox.exec("curl -sS -o /dev/null -w '%{http_code}' -k https://" + name + ":" + port + "/text");

            assertThat(run.stdout()).as("%s %s", name, run.stderr()).isEqualTo("403");
            Row row = sandbox.awaitRow("SELECT * FROM net_events WHERE domain = ?", name);
            assertThat(row.text("decision")).as("%s", name).isEqualTo("denied");
            assertThat(row.text("policy_action")).isEqualTo("block");
        }
        assertThat(world.web().connections()).isEqualTo(before);
    }

    /// The name is allowed and its address is public; a rule is about that very address.
    @Test
    void blockedPublicAddressesAreNotConnectedTo() {
        world.upstreams().dns().address("public.example.test", "93.184.216.34");

        Executed run = sandbox.exec("curl -sSi https://public.example.test/");

        assertThat(run.stdout()).contains(" 403", "security.rules.http.no_address");
        Row row = sandbox.awaitRow("SELECT * FROM net_events WHERE domain = 'public.example.test'");
        assertThat(row.text("decision")).isEqualTo("denied");
        assertThat(row.text("policy_rule")).isEqualTo("security.rules.http.no_address");
    }

    @Test
    void strippedHeadersAreNeitherSentNorStored() {
        HttpOrigin origin = world.origin("strip");

        Executed run = sandbox.exec("curl -sSi -H 'Authorization: Bearer strip-me-please' -H 'X-Api-Key: strip-me-too'"
                + " -H 'X-Kept: yes' https://{strip}/text");

        assertThat(run.stdout()).contains(World.TEXT);
        assertThat(origin.received()).singleElement().satisfies(request -> {
            assertThat(request.head())
                    .doesNotContainIgnoringCase("authorization")
                    .doesNotContain("strip-me");
            assertThat(request.header("x-kept")).contains("yes");
        });
        Row row = sandbox.awaitRow("SELECT * FROM net_events WHERE domain = 'strip.example.test'");
        assertThat(row.text("decision")).isEqualTo("allowed");
        assertThat(row.text("policy_action")).isEqualTo("rewrite");
        assertThat(row.text("policy_rule")).isEqualTo("security.rules.http.strip");
        assertThat(row.text("request_headers"))
                .doesNotContain("authorization")
                .doesNotContain("x-api-key")
                .contains("x-kept");
        Row event = sandbox.awaitRows(
                        1,
                        "SELECT e.* FROM security_events e JOIN security_event_steps s ON s.event_id = e.event_id"
                                + " WHERE s.rule_id = 'security.rules.http.strip' AND e.final_action = 'rewrite'")
                .getFirst();
        assertThat(event.number("mutation_count")).isPositive();
        assertThat(sandbox.everything()).doesNotContain("strip-me");
    }

    @Test
    void strippedHeadersOfAnswersDoNotArrive() {
        world.origin("cookies");

        Executed run = sandbox.exec("curl -sSi https://{cookies}/text");

        assertThat(run.stdout())
                .contains(World.TEXT)
                .contains("x-origin: web")
                .doesNotContainIgnoringCase("set-cookie");
        Row row = sandbox.awaitRow("SELECT * FROM net_events WHERE domain = 'cookies.example.test'");
        assertThat(row.text("decision")).isEqualTo("allowed");
        assertThat(row.text("policy_action")).isEqualTo("rewrite");
        assertThat(row.text("policy_rule")).isEqualTo("security.rules.http.strip_answer");
        assertThat(row.text("response_headers")).doesNotContain("set-cookie");
    }

    @Test
    void rewrittenPathsReachTheUpstreamAndNoOthers() {
        HttpOrigin origin = world.origin("rewrites");

        Executed fits = sandbox.exec("curl -sS https://{rewrites}/old/text");
        Executed doesNot = sandbox.exec("curl -sS -o /dev/null -w '%{http_code}' https://{rewrites}/text");

        assertThat(fits.stdout()).as("%s", fits.stderr()).isEqualTo(World.TEXT);
        assertThat(doesNot.stdout()).isEqualTo("403");
        assertThat(origin.received()).extracting(Received::target).containsExactly("/text");
    }

    @Test
    void blockedAnswersAreHeldBack() {
        world.origin("answers");

        Executed run = sandbox.exec("curl -sSi https://{answers}/text");

        assertThat(run.stdout()).contains(" 403").doesNotContain(World.TEXT.strip());
        Row row = sandbox.awaitRow("SELECT * FROM net_events WHERE domain = 'answers.example.test'");
        assertThat(row.text("policy_rule")).isEqualTo("security.rules.http.no_answer");
    }

    @Test
    void blockedMessagesOfAWebSocketAreNotSaid() {
        HttpOrigin origin = world.origin("spoken");

        Executed run = sandbox.exec("python3 $S/messages.py spoken.example.test " + origin.port()
                + " /ws 'good morning' '-----BEGIN PRIVATE KEY-----' 'good night'");

        assertThat(run.stdout()).as("%s", run.stderr()).isEqualTo("""
                HTTP/1.1 101 Switching Protocols
                pong hi
                text good morning
                pong hi
                close 1008 keys stay here
                """);
        assertThat(world.echo().messages()).containsExactly("good morning");
        assertThat(origin.received())
                .singleElement()
                .satisfies(
                        request -> assertThat(request.head()).doesNotContainIgnoringCase("sec-websocket-extensions"));
        Row row = sandbox.awaitRow("SELECT * FROM net_events WHERE domain = 'spoken.example.test'");
        assertThat(row.text("conn_type")).isEqualTo("websocket");
        assertThat(row.text("decision")).isEqualTo("denied");
        assertThat(row.number("status_code")).isEqualTo(101);
        assertThat(row.text("policy_action")).isEqualTo("block");
        assertThat(row.text("policy_rule")).isEqualTo("security.rules.http.no_message");
        assertThat(sandbox.awaitRows(
                        1,
                        "SELECT e.* FROM security_events e JOIN security_event_steps s ON s.event_id = e.event_id"
                                + " WHERE s.rule_id = 'security.rules.http.no_message' AND e.final_action = 'block'"
                                + " AND e.event_type = 'http.request'"))
                .hasSize(1);
    }

    @Test
    void blockedModelsAreNotAsked() {
        int before = world.anthropic().received().size();

        Executed run = sandbox.exec("curl -sSi -H 'content-type: application/json' -d '{\"model\": \"forbidden-model\","
                + " \"messages\": []}' https://{anthropic}/v1/messages");

        assertThat(run.stdout()).contains(" 403", "security.rules.model.no_model");
        assertThat(world.anthropic().received()).hasSize(before);
        assertThat(sandbox.awaitRows(
                        1,
                        "SELECT * FROM security_events WHERE event_type = 'model.request' AND final_action = 'block'"))
                .hasSize(1);
    }

    /// Messages that two readers may read differently.
    @TestFactory
    List<DynamicTest> smuggledRequestsAreRefused() {
        HttpOrigin origin = world.origin("smuggle");
        String start = "POST /echo HTTP/1.1\\r\\nHost: {smuggle}\\r\\n";
        Map<String, String> shapes = new LinkedHashMap<>();
        shapes.put(
                "length and chunks",
                start + "Content-Length: 5\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n0\\r\\n\\r\\nX");
        shapes.put("two lengths", start + "Content-Length: 3\\r\\nContent-Length: 4\\r\\n\\r\\nabcd");
        shapes.put("a list of lengths", start + "Content-Length: 3, 4\\r\\n\\r\\nabcd");
        shapes.put("a signed length", start + "Content-Length: +3\\r\\n\\r\\nabc");
        shapes.put("a negative length", start + "Content-Length: -3\\r\\n\\r\\nabc");
        shapes.put("a folded header", start + "X-A: one\\r\\n two\\r\\nContent-Length: 0\\r\\n\\r\\n");
        shapes.put("a bare CR", start + "X-A: one\\rTransfer-Encoding: chunked\\r\\nContent-Length: 0\\r\\n\\r\\n");
        shapes.put("a bare LF", start + "X-A: one\\nContent-Length: 0\\r\\n\\r\\n");
        shapes.put("a NUL", start + "X-A: o\\0ne\\r\\nContent-Length: 0\\r\\n\\r\\n");
        shapes.put("a space before the colon", start + "Transfer-Encoding : chunked\\r\\n\\r\\n0\\r\\n\\r\\n");
        shapes.put("an unknown coding", start + "Transfer-Encoding: xchunked\\r\\n\\r\\n0\\r\\n\\r\\n");
        shapes.put("chunked not last", start + "Transfer-Encoding: chunked, identity\\r\\n\\r\\n0\\r\\n\\r\\n");
        shapes.put(
                "two codings",
                start + "Transfer-Encoding: chunked\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n0\\r\\n\\r\\n");
        shapes.put(
                "chunks in HTTP/1.0",
                start.replace("1.1", "1.0") + "Transfer-Encoding: chunked\\r\\n\\r\\n0\\r\\n\\r\\n");
        shapes.put("two hosts", start + "Host: web.example.test\\r\\nContent-Length: 0\\r\\n\\r\\n");
        shapes.put("no host", "GET /text HTTP/1.1\\r\\n\\r\\n");
        shapes.put("a control character in the target", "GET /te\\x01xt HTTP/1.1\\r\\nHost: {smuggle}\\r\\n\\r\\n");
        shapes.put("an unknown version", "GET /text HTTP/3.7\\r\\nHost: {smuggle}\\r\\n\\r\\n");
        List<DynamicTest> tests = new ArrayList<>();
        shapes.forEach((name, bytes) -> tests.add(dynamicTest(name, () -> {
            Executed run = sandbox.exec("printf '" + bytes.replace("\\x01", "\\001")
                    + "' | python3 $S/raw.py https smuggle.example.test " + origin.port() + " smuggle.example.test");

            assertThat(run.stdout()).as("%s", run.stderr()).containsPattern("HTTP/1.1 (400|403|421|431|501|505)");
        })));
        tests.add(dynamicTest("no upstream heard of any of it", () -> {
            assertThat(origin.received()).isEmpty();
            assertThat(origin.connections()).isZero();
        }));
        tests.add(dynamicTest(
                "all of it is on record",
                () -> assertThat(sandbox.awaitRows(
                                shapes.size(), "SELECT * FROM net_events WHERE domain = 'smuggle.example.test'"))
                        .allSatisfy(row -> assertThat(row.text("decision")).isEqualTo("denied"))));
        return tests;
    }
}
