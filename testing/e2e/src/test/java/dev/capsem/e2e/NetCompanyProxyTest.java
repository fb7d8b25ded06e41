package dev.capsem.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.e2e.Installation.Executed;
import dev.capsem.testkit.http.HttpOrigin;
import dev.capsem.testkit.squid.SquidProxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// A sandbox behind a company's proxy, which is a real squid that wants a password and alone knows some names.
@Tag("e2e")
class NetCompanyProxyTest {
    /// Allows the name; where it leads is another matter.
    private static final String CARELESS = """
            [security.rules.http.metadata]
            on = "http.request"
            if = 'http.request.address_class == "metadata"'
            decision = "block"
            priority = 5
            reason = "clouds keep credentials there"

            [security.rules.http.careless]
            on = "http.request"
            if = 'http.request.host == "metadata.google.internal"'
            decision = "allow"
            priority = 10
            """;

    @Test
    void everythingGoesThroughTheCompanysProxy() {
        Assumptions.assumeTrue(SquidProxy.isInstalled(), "skipped: squid is not installed");
        try (World world = new World()) {
            HttpOrigin far = world.originUnknownToTheHost("far");
            SquidProxy squid = world.upstreams()
                    .keep(SquidProxy.start(
                            world.upstreams().directory("squid"),
                            List.of("web.example.test", "plain.example.test", "far.example.test")));
            world.networkSettings("""
                    upstream_proxy = "http://127.0.0.1:%d"
                    upstream_proxy_credentials = "${secret:proxy}"
                    """.formatted(squid.port()));
            try (NetSandbox sandbox = NetSandbox.start(Account.available().getFirst(), world, CARELESS)) {
                Executed without = sandbox.exec("curl -sS https://{web}/text; curl -sS http://{plain}/text");
                assertThat(without.stdout())
                        .contains("upstream_proxy_credentials")
                        .doesNotContain(World.TEXT);
                assertThat(world.web().received()).isEmpty();
                assertThat(world.plain().received()).isEmpty();

                setSecret(sandbox.installation(), "proxy", SquidProxy.USER + ":" + SquidProxy.PASSWORD);

                assertThat(sandbox.exec("curl -sS https://{web}/text").stdout()).isEqualTo(World.TEXT);
                assertThat(sandbox.exec("curl -sS http://{plain}/text").stdout())
                        .isEqualTo(World.TEXT);
                assertThat(sandbox.exec("curl -sS https://{far}/text").stdout()).isEqualTo(World.TEXT);
                assertThat(far.received()).hasSize(1);
                assertThat(squid.log())
                        .anyMatch(line ->
                                line.startsWith("person GET http://plain.example.test") && line.endsWith("200"));

                Executed inside = sandbox.exec("curl -sS -x http://192.0.2.1:3128 http://metadata.google.internal/");
                assertThat(inside.stdout()).contains("clouds keep credentials there");
                assertThat(String.join("\n", squid.log())).doesNotContain("metadata");
                assertThat(sandbox.awaitRows(3, "SELECT * FROM net_events WHERE decision = 'allowed'"))
                        .hasSize(3);
                assertThat(sandbox.everything()).doesNotContain(SquidProxy.PASSWORD);
            }
            assertThat(squid.log()).anyMatch(line -> line.startsWith("person CONNECT web.example.test:"));
            assertThat(squid.log()).anyMatch(line -> line.startsWith("person CONNECT far.example.test:"));
        }
    }

    private static void setSecret(Installation installation, String name, String value) {
        assertThat(installation.capsem(
                        (value + "\n").getBytes(StandardCharsets.UTF_8), Path.of("/tmp"), "secret", "set", name))
                .satisfies(outcome -> assertThat(outcome.exitCode())
                        .as("%s%s", outcome.stdout(), outcome.stderr())
                        .isZero());
        installation.post("/reload-config", "{}").expect(200);
    }
}
