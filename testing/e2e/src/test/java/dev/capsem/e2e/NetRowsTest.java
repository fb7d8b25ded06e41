package dev.capsem.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.e2e.Installation.Executed;
import dev.capsem.e2e.NetSandbox.Row;
import dev.capsem.testkit.dns.DnsOrigin;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/// What session.db says about traffic that passed, field by field; secrets are in none of it.
@Tag("e2e")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class NetRowsTest {
    private World world;
    private NetSandbox sandbox;

    @BeforeAll
    void start() {
        world = new World();
        sandbox = NetSandbox.start(Account.available().getFirst(), world, "");
    }

    @AfterAll
    void stop() {
        sandbox.close();
        world.close();
    }

    private void passed(Row row, String origin) {
        assertThat(row.text("timestamp")).endsWith("Z");
        assertThat(row.text("domain")).isEqualTo(origin + ".example.test");
        assertThat(row.number("port")).isEqualTo(world.place(origin).port());
        assertThat(row.text("decision")).isEqualTo("allowed");
        assertThat(row.number("duration_ms")).isNotNegative();
        assertThat(row.text("matched_rule")).isEqualTo("security.rules.http.names");
        assertThat(row.text("policy_mode")).isEqualTo("enforce");
        assertThat(row.text("policy_action")).isEqualTo("allow");
        assertThat(row.text("policy_rule")).isEqualTo("security.rules.http.names");
    }

    @Test
    void getOverHttp1() {
        world.origin("gets");

        Executed run = sandbox.exec("curl -sS --http1.1 -A probe/1 -H 'Authorization: Bearer rows-secret-one'"
                + " -H 'Cookie: session=rows-secret-two' 'https://{gets}/text?page=2&api_key=rows-secret-three'");

        assertThat(run.stdout()).as("%s", run.stderr()).isEqualTo(World.TEXT);
        Row row = sandbox.awaitRow("SELECT * FROM net_events WHERE domain = 'gets.example.test'");
        passed(row, "gets");
        assertThat(row.text("process_name")).isEqualTo("curl");
        assertThat(row.text("method")).isEqualTo("GET");
        assertThat(row.text("path")).isEqualTo("/text");
        assertThat(row.text("query")).isEqualTo("page=2&api_key=***");
        assertThat(row.number("status_code")).isEqualTo(200);
        assertThat(row.number("bytes_sent")).isZero();
        assertThat(row.number("bytes_received")).isEqualTo(World.TEXT.length());
        assertThat(row.text("request_headers")).contains("user-agent: probe/1");
        assertThat(row.text("response_headers"))
                .contains("content-type: text/plain; charset=utf-8")
                .doesNotContain("cookie-secret-1");
        assertThat(row.get("request_body_preview")).isNull();
        assertThat(row.text("response_body_preview")).isEqualTo(World.TEXT);
        assertThat(row.text("conn_type")).isEqualTo("https-mitm");
        assertThat(row.get("trace_id")).isNull();
        assertThat(sandbox.everything()).doesNotContain("rows-secret", "cookie-secret");
    }

    @Test
    void postOverPlainHttp() {
        Executed run = sandbox.exec("curl -sS -H 'content-type: application/json'"
                + " -d '{\"name\": \"x\", \"password\": \"rows-secret-four\"}' http://{plain}/echo");

        assertThat(run.stdout()).as("%s", run.stderr()).contains("\"method\": \"POST\"");
        Row row = sandbox.awaitRow("SELECT * FROM net_events WHERE domain = 'plain.example.test'");
        passed(row, "plain");
        assertThat(row.text("method")).isEqualTo("POST");
        assertThat(row.text("path")).isEqualTo("/echo");
        assertThat(row.get("query")).isNull();
        assertThat(row.number("bytes_sent"))
                .isEqualTo(world.plain().received("/echo").getFirst().bodyBytes());
        assertThat(row.number("bytes_received")).isEqualTo(run.stdout().length());
        assertThat(row.text("request_body_preview")).contains("\"name\"").doesNotContain("rows-secret");
        assertThat(row.text("response_body_preview")).isEqualTo(run.stdout());
        assertThat(row.text("conn_type")).isEqualTo("http-mitm");
    }

    @Test
    void getOverHttp2() {
        Assumptions.assumeTrue(world.nginx().isPresent(), "skipped: nginx is not installed");

        sandbox.exec("curl -sS --http2 -o /dev/null https://{nginx}/text https://{nginx}/gone");

        List<Row> rows =
                sandbox.awaitRows(2, "SELECT * FROM net_events WHERE domain = 'nginx.example.test' ORDER BY path");
        assertThat(rows).hasSize(2).allSatisfy(row -> passed(row, "nginx"));
        assertThat(rows).extracting(row -> row.text("path")).containsExactly("/gone", "/text");
        assertThat(rows).extracting(row -> row.number("status_code")).containsExactly(410L, 200L);
        assertThat(world.nginx().orElseThrow().log()).allMatch(line -> line.startsWith("HTTP/2.0 GET "));
    }

    @Test
    void webSocketMessages() {
        NetClients.NODE_WEBSOCKET.missing(world).ifPresent(reason -> Assumptions.abort("skipped: " + reason));
        world.origin("sockets");

        Executed run = sandbox.exec("node $S/websocket.mjs wss://{sockets}/ws");

        assertThat(run.stdout()).as("%s", run.stderr()).endsWith("closed 1000\n");
        Row row = sandbox.awaitRow("SELECT * FROM net_events WHERE domain = 'sockets.example.test'");
        passed(row, "sockets");
        assertThat(row.text("process_name")).isEqualTo("node");
        assertThat(row.text("path")).isEqualTo("/ws");
        assertThat(row.number("status_code")).isEqualTo(101);
        assertThat(row.text("conn_type")).isEqualTo("websocket");
        assertThat(row.number("bytes_sent")).isGreaterThan(170_000);
        assertThat(row.number("bytes_received")).isGreaterThan(170_000);
        assertThat(sandbox.everything()).doesNotContain("sk-test-ws");
    }

    @Test
    void gitClone() {
        NetClients.GIT_CLONE.missing(world).ifPresent(reason -> Assumptions.abort("skipped: " + reason));

        sandbox.exec("cd $(mktemp -d) && git clone -q https://{git}/notes.git");

        List<Row> rows = sandbox.awaitRows(3, "SELECT * FROM net_events WHERE domain = 'git.example.test' ORDER BY id");
        assertThat(rows).allSatisfy(row -> {
            passed(row, "git");
            assertThat(row.text("process_name")).startsWith("git");
            assertThat(row.number("status_code")).isEqualTo(200);
        });
        assertThat(rows.getFirst().text("path")).isEqualTo("/notes.git/info/refs");
        assertThat(rows.getFirst().text("query")).isEqualTo("service=git-upload-pack");
        assertThat(rows.getLast().text("method")).isEqualTo("POST");
        assertThat(rows.getLast().text("path")).isEqualTo("/notes.git/git-upload-pack");
    }

    @Test
    void namesWithPublicAddresses() {
        world.upstreams()
                .dns()
                .address("public.example.test", "93.184.216.34")
                .address("large.example.test", "93.184.216.35")
                .onlyOverTcp("large.example.test");

        Executed run = sandbox.exec(
                "getent ahostsv4 public.example.test | head -1; getent ahostsv4 large.example.test | head -1;"
                        + " getent ahostsv4 missing.example.test");

        assertThat(run.stdout())
                .as("%s", run.stderr())
                .contains("93.184.216.34")
                .contains("93.184.216.35");
        Row row = sandbox.awaitRows(1, "SELECT * FROM dns_events WHERE qname = 'public.example.test' AND qtype = 1")
                .getFirst();
        assertThat(row.text("decision")).isEqualTo("allowed");
        assertThat(row.number("qclass")).isOne();
        assertThat(row.number("rcode")).isZero();
        assertThat(row.text("source_proto")).isEqualTo("udp");
        assertThat(row.text("matched_rule")).isEqualTo("security.rules.dns.world");
        assertThat(row.text("policy_mode")).isEqualTo("enforce");
        assertThat(row.text("policy_action")).isEqualTo("allow");
        assertThat(sandbox.awaitRows(1, "SELECT * FROM dns_events WHERE qname = 'missing.example.test' AND qtype = 1"))
                .allSatisfy(missing -> assertThat(missing.number("rcode")).isEqualTo(3));
        assertThat(world.upstreams().dns().asked("large.example.test"))
                .extracting(DnsOrigin.Asked::transport)
                .contains("udp", "tcp");
    }

    @Test
    void namesWithAddressesOfTheHostGetAStandIn() {
        Executed run = sandbox.exec("getent ahostsv4 web.example.test");

        assertThat(run.stdout()).isNotBlank().doesNotContain("127.0.0.1");
        assertThat(sandbox.awaitRows(1, "SELECT * FROM dns_events WHERE qname = 'web.example.test' AND qtype = 1"))
                .allSatisfy(row -> {
                    assertThat(row.text("decision")).isEqualTo("redirected");
                    assertThat(row.text("policy_action")).isEqualTo("allow");
                });
    }

    /// The chain of evidence holds over all of it.
    @Test
    void recordVerifies() {
        sandbox.exec("curl -sS -o /dev/null https://{web}/text");
        sandbox.awaitRows(1, "SELECT * FROM net_events WHERE domain = 'web.example.test'");

        Commands.Outcome verified = sandbox.installation().capsem("verify", sandbox.id());

        assertThat(verified.exitCode())
                .as("%s%s", verified.stdout(), verified.stderr())
                .isZero();
    }
}
