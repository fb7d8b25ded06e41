package dev.capsem.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.e2e.Installation.Executed;
import dev.capsem.testkit.tls.OriginCertificate;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// gRPC's own library on both sides of the door, under a rule that changes its requests: every call and every way to
/// fail arrives as it was meant.
@Tag("e2e")
class NetGrpcTest {
    private static final Path SCRIPT = NetClients.FOLDER.resolve("scripts/grpc_js.mjs");
    private static final int CASES = 22;

    @Test
    void everyCallAndEveryFailureReachesTheCaller() throws IOException {
        Assumptions.assumeTrue(
                Files.isDirectory(NetClients.FOLDER.resolve("node_modules/@grpc/grpc-js")),
                "skipped: @grpc/grpc-js is not installed");
        try (World world = new World()) {
            String host = "calls.example.test";
            OriginCertificate certificate = world.upstreams().authority().issue(host);
            world.upstreams().dns().address(host, "127.0.0.1");
            Process server = new ProcessBuilder(
                            NetClients.node(),
                            SCRIPT.toString(),
                            "serve",
                            certificate.key().toString(),
                            certificate.chain().toString())
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            try (BufferedReader said =
                            new BufferedReader(new InputStreamReader(server.getInputStream(), StandardCharsets.UTF_8));
                    NetSandbox sandbox = NetSandbox.start(Account.available().getFirst(), world, """
                            [security.rules.http.strip]
                            on = "http.request"
                            if = 'http.request.host == "calls.example.test"'
                            decision = "rewrite"
                            priority = 400
                            strip_request_headers = ["authorization"]
                            """)) {
                Executed called = sandbox.exec("node $S/grpc_js.mjs call " + host + ":" + said.readLine());

                assertThat(called.stdout().lines().toList())
                        .as("%s%s", called.stdout(), called.stderr())
                        .last()
                        .isEqualTo(CASES + "/" + CASES);
                assertThat(sandbox.awaitRows(CASES, "SELECT * FROM net_events WHERE domain = ?", host))
                        .extracting(row -> row.text("policy_action"))
                        .isSubsetOf(List.of("rewrite"));
            } finally {
                server.destroyForcibly();
            }
        }
    }
}
