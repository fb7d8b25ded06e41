package dev.capsem.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.e2e.Commands.Outcome;
import dev.capsem.e2e.Installation.Executed;
import dev.capsem.testkit.nginx.NginxOrigin;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Clients that people and agents use, unchanged, inside a sandbox: each gets what it would get without us.
@Tag("e2e")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class NetClientsTest {
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

    @ParameterizedTest
    @EnumSource(NetClients.class)
    void getsThroughTheDoorWhatItGetsDirectly(NetClients client) {
        client.missing(world).ifPresent(reason -> Assumptions.abort("skipped: " + reason));
        Outcome direct = Commands.run(
                List.of("sh", "-c", client.direct(world)), world.directEnvironment(), Path.of("/tmp"), new byte[0]);

        Executed through = sandbox.installation().exec(sandbox.id(), client.inside(world));

        assertThat(direct.exitCode())
                .as("%s%s", direct.stdout(), direct.stderr())
                .isZero();
        assertThat(through.stdout()).as("%s", through.stderr()).isEqualTo(direct.stdout());
        assertThat(through.exitCode()).as("%s", through.stderr()).isZero();
    }

    /// nginx's own log says which connections carried more than one request.
    @Test
    void upstreamConnectionsAreKept() {
        Assumptions.assumeTrue(world.nginx().isPresent(), "skipped: nginx is not installed");
        String get = "curl -sS --http1.1 -o /dev/null https://{nginx}/text";
        int before = world.nginx().orElseThrow().log().size();

        sandbox.exec(String.join("; ", get, get, get, get));

        List<String> log = world.nginx().orElseThrow().log();
        List<String> fresh = log.subList(before, log.size());
        assertThat(fresh).hasSize(4);
        long connections = fresh.stream()
                .map(line -> line.substring(line.lastIndexOf(' ')))
                .distinct()
                .count();
        assertThat(connections).as("%s", fresh).isLessThan(4);
    }

    /// nginx's own log says which handshakes were resumed. It closes after each answer, so every request needs one.
    @Test
    void upstreamTlsSessionsAreResumed() {
        Assumptions.assumeTrue(world.nginx().isPresent(), "skipped: nginx is not installed");
        NginxOrigin nginx = world.nginx().orElseThrow();
        String get = "curl -sS https://nginx.example.test:" + nginx.closingPort() + "/text";
        int before = nginx.log().size();

        Executed run = sandbox.exec(String.join(" && ", get, get, get, get));

        assertThat(run.stdout()).as("%s", run.stderr()).isEqualTo(World.TEXT.repeat(4));
        List<String> log = nginx.log();
        List<String[]> fresh = log.subList(before, log.size()).stream()
                .map(line -> line.split(" "))
                .toList();
        assertThat(fresh.stream().map(line -> line[5]).distinct())
                .as("connections")
                .hasSize(4);
        assertThat(fresh.stream().skip(1).map(line -> line[4])).as("%s", log).containsOnly("r");
    }

    @Test
    void clientsReachTheWorldFromAnOrdinaryUsersSandbox() {
        Assumptions.assumeTrue(Account.available().size() > 1, "skipped: all tests run as an ordinary user already");
        try (NetSandbox other = NetSandbox.start(Account.USER, world, "")) {
            assertThat(other.exec("curl -sS https://{web}/text").stdout()).isEqualTo(World.TEXT);
            assertThat(other.exec("python3 $S/urllib_client.py https://{web}").stdout())
                    .startsWith("200 web plain text");
            assertThat(other.awaitRows(2, "SELECT * FROM net_events WHERE decision = 'allowed'"))
                    .allSatisfy(row -> assertThat(row.text("domain")).isEqualTo("web.example.test"));
        }
    }

    /// `java` has its own list of authorities; the sandbox gives it ours.
    @Test
    void javaTrustsTheDoor() {
        Executed java = sandbox.exec("java=$(ls -d /usr/lib/jvm/*/bin/java 2>/dev/null | tail -1);"
                + " [ -n \"$java\" ] || exit 42; \"$java\" $S/HttpClientProbe.java https://{web}");
        Assumptions.assumeTrue(java.exitCode() != 42, "skipped: no Java inside the sandbox");

        assertThat(java.stdout()).as("%s", java.stderr()).isEqualTo("200 web " + World.TEXT);
    }

    /// Clients with proxy variables speak to us as to a proxy; the door is the same.
    @Test
    void explicitProxyFormWorks() {
        Executed connect =
                sandbox.exec("curl -sS --proxy http://web.example.test:3128 --proxytunnel https://{web}/text");
        Executed absolute = sandbox.exec("curl -sS --proxy http://web.example.test:3128 http://{plain}/text");

        assertThat(connect.stdout()).as("%s", connect.stderr()).isEqualTo(World.TEXT);
        assertThat(absolute.stdout()).as("%s", absolute.stderr()).isEqualTo(World.TEXT);
    }
}
