package dev.capsem.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.http.HttpAnswer;
import dev.capsem.http.Request;
import dev.capsem.http.RouteTable;
import dev.capsem.service.FakeHost;
import dev.capsem.service.SandboxEngine;
import dev.capsem.service.problem.ServiceProblem;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Metrics and cost as routes, over processes that answer made-up numbers.
class OperationsApiTest {
    @TempDir
    private Path home = Path.of("replaced by JUnit");

    private static HttpAnswer call(RouteTable routes, String method, String path, String query, String body) {
        Map<String, List<String>> queries = query.isEmpty()
                ? Map.of()
                : Map.of(query.substring(0, query.indexOf('=')), List.of(query.substring(query.indexOf('=') + 1)));
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        return routes.handle(
                new Request(method, path, queries, Optional.of("application/json"), Optional.of("*/*"), _ -> bytes));
    }

    private static String text(HttpAnswer answer) {
        return new String(((HttpAnswer.Content) answer).bytes(), StandardCharsets.UTF_8);
    }

    @Test
    void metricsNameTheSandboxOfEverySeries() {
        FakeHost fake = new FakeHost(home);
        try (SandboxEngine host = fake.open();
                TestService service = new TestService(fake, host, () -> {})) {
            RouteTable routes = service.routes();
            call(routes, "POST", "/provision", "", "{\"name\":\"lab\"}");

            HttpAnswer answer = call(routes, "GET", "/metrics", "", "");

            assertThat(((HttpAnswer.Content) answer).mediaType()).isEqualTo("text/plain; version=0.0.4; charset=utf-8");
            assertThat(text(answer).lines())
                    .contains(
                            "# TYPE capsem_mitm_requests_total counter",
                            "capsem_mitm_requests_total{sandbox=\"lab\",protocol=\"h2\",decision=\"allowed\"} 3",
                            "# TYPE capsem_active_connections gauge",
                            "capsem_active_connections{sandbox=\"lab\"} 1",
                            "# HELP capsem_tls_handshake_ms TLS handshakes with the guest.",
                            "# TYPE capsem_tls_handshake_ms histogram",
                            "capsem_tls_handshake_ms_bucket{sandbox=\"lab\",le=\"0.5\"} 1",
                            "capsem_tls_handshake_ms_bucket{sandbox=\"lab\",le=\"1\"} 2",
                            "capsem_tls_handshake_ms_bucket{sandbox=\"lab\",le=\"+Inf\"} 4",
                            "capsem_tls_handshake_ms_sum{sandbox=\"lab\"} 7.25",
                            "capsem_tls_handshake_ms_count{sandbox=\"lab\"} 4",
                            "capsem_sandboxes{state=\"running\"} 1",
                            "capsem_sandboxes_silent 0",
                            "capsem_approvals_pending 0");
        }
    }

    /// As the format wants it: one TYPE line before all samples of a name, and nothing but comments and samples.
    @Test
    void metricsAreOneGroupForEachName() {
        FakeHost fake = new FakeHost(home);
        try (SandboxEngine host = fake.open();
                TestService service = new TestService(fake, host, () -> {})) {
            RouteTable routes = service.routes();
            call(routes, "POST", "/provision", "", "{\"name\":\"one\"}");
            call(routes, "POST", "/provision", "", "{\"name\":\"two\"}");

            String text = text(call(routes, "GET", "/metrics", "", ""));

            assertThat(text).endsWith("\n");
            assertThat(text.lines().filter(line -> line.startsWith("# TYPE")))
                    .doesNotHaveDuplicates()
                    .isSorted();
            assertThat(text.lines().filter(line -> !line.startsWith("#")))
                    .doesNotHaveDuplicates()
                    .allMatch(line ->
                            line.matches("capsem_[a-z_]+(\\{[a-z]+=\"[^\"]*\"(,[a-z]+=\"[^\"]*\")*})? -?[0-9.]+"));
        }
    }

    @Test
    void refusesBreakdownsAndFormatsThatDoNotExist() {
        FakeHost fake = new FakeHost(home);
        try (SandboxEngine host = fake.open();
                TestService service = new TestService(fake, host, () -> {})) {
            RouteTable routes = service.routes();
            call(routes, "POST", "/provision", "", "{\"name\":\"lab\"}");

            assertThat(((HttpAnswer.JsonBody) call(routes, "GET", "/cost/lab", "by=model", ""))
                            .body()
                            .path("by")
                            .asString())
                    .isEqualTo("model");
            Calls calls = new Calls(routes);
            calls.refused(ServiceProblem.Code.BAD_QUERY, "GET", "/cost/lab?by=moon", "");
            calls.refused(ServiceProblem.Code.BAD_QUERY, "GET", "/export/lab?format=pcap", "");
            calls.refused(ServiceProblem.Code.SANDBOX_NOT_FOUND, "GET", "/cost/nobody", "");
        }
    }
}
