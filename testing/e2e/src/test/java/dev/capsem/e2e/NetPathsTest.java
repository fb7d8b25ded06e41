package dev.capsem.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.e2e.Installation.Executed;
import dev.capsem.testkit.nginx.NginxOrigin;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// A server that nobody here wrote reads paths in its own way. No spelling gets past a rule to what it serves.
@Tag("e2e")
class NetPathsTest {
    private static final String RULES = """
            [security.rules.http.one_folder]
            on = "http.request"
            if = '''
            http.request.host == "nginx.example.test" && !http.request.path.startsWith("/gzip/")
            && !http.request.header("x-open").exists()
            '''
            decision = "block"
            priority = 10
            """;

    /// nginx serves the file `admin` for each.
    private static final List<String> SPELLINGS = List.of(
            "/gzip/..%2fadmin",
            "/gzip/%2e%2e%2fadmin",
            "/gzip//../admin",
            "/gzip/%2f../admin",
            "/gzip/x%2f..%2f..%2fadmin",
            "/gzip/.%2e%2fadmin",
            "/gzip/..%2f%2fadmin",
            "/gzip%2f..%2fadmin",
            "//admin",
            "/%2fadmin",
            "/gzip/../admin",
            "/admin");

    private static String get(List<String> paths, String options) {
        return "for path in '" + String.join("' '", paths) + "'; do curl -sS --path-as-is " + options
                + " \"https://{nginx}$path\"; done";
    }

    @Test
    void noSpellingReachesWhatARuleBlocks() {
        Assumptions.assumeTrue(NginxOrigin.isInstalled(), "skipped: nginx is not installed");
        try (World world = new World();
                NetSandbox sandbox = NetSandbox.start(Account.available().getFirst(), world, RULES)) {
            NginxOrigin nginx = world.nginx().orElseThrow();
            nginx.file("admin", "ADMIN\n".getBytes(StandardCharsets.UTF_8));

            assertThat(sandbox.exec(get(SPELLINGS, "-H 'x-open: 1'")).stdout())
                    .as("what nginx makes of them when nothing is forbidden")
                    .isEqualTo("ADMIN\n".repeat(SPELLINGS.size()));
            int before = nginx.log().size();

            Executed refused = sandbox.exec(get(SPELLINGS, "-o /dev/null -w '%{http_code}\\n'"));
            assertThat(refused.stdout().lines())
                    .as("%s", refused.stderr())
                    .hasSize(SPELLINGS.size())
                    .allMatch(code -> code.equals("400") || code.equals("403"));
            assertThat(nginx.log()).hasSize(before);
            assertThat(sandbox.awaitRows(
                            SPELLINGS.size(),
                            "SELECT * FROM net_events WHERE domain = 'nginx.example.test' AND decision = 'denied'"))
                    .hasSize(SPELLINGS.size())
                    .allMatch(row -> row.text("policy_rule").equals("security.rules.http.one_folder"));
            assertThat(sandbox.exec("curl -sS --path-as-is https://{nginx}/gzip/..%2fadmin")
                            .stdout())
                    .contains("ambiguous_path");

            assertThat(sandbox.exec(get(List.of("/gzip/text", "/gzip//text", "/gzip/a%2f..%2ftext"), ""))
                            .stdout())
                    .isEqualTo(World.TEXT.repeat(3));
        }
    }
}
