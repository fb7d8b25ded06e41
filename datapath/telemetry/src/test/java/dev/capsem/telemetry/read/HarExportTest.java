package dev.capsem.telemetry.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.capsem.events.vocabulary.FinalAction;
import dev.capsem.telemetry.Samples;
import dev.capsem.telemetry.TelemetryException;
import dev.capsem.telemetry.write.SessionWriter;
import dev.capsem.wire.json.Json;
import java.io.ByteArrayOutputStream;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

@Timeout(60)
class HarExportTest {
    @TempDir
    Path directory;

    private JsonNode exported(int exchanges) {
        Path file = directory.resolve("session.db");
        Samples samples = new Samples();
        try (SessionWriter writer = SessionWriter.open(file, Samples.IDENTITY, Samples.CLOCK)) {
            for (int i = 0; i < exchanges; i++) {
                writer.recordOrWait(samples.net(i % 2 == 0 ? FinalAction.CONTINUE : FinalAction.BLOCK));
            }
        }
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        HarExport.of(file, "0.1.0").write(all::writeBytes);
        return Json.parse(all.toByteArray());
    }

    /// The members that the format demands, at every place where it demands them.
    @Test
    void everyEntryHasTheShapeOfTheFormat() {
        JsonNode log = exported(3).path("log");

        assertThat(log.path("version").asString()).isEqualTo("1.2");
        assertThat(log.path("creator").propertyNames()).contains("name", "version");
        assertThat(log.path("comment").asString()).contains("previews").contains("hashes");
        assertThat(log.path("entries").size()).isEqualTo(3);
        for (JsonNode entry : log.path("entries")) {
            assertThat(entry.propertyNames())
                    .contains("startedDateTime", "time", "request", "response", "cache", "timings");
            assertThat(entry.path("request").propertyNames())
                    .contains(
                            "method",
                            "url",
                            "httpVersion",
                            "cookies",
                            "headers",
                            "queryString",
                            "headersSize",
                            "bodySize");
            assertThat(entry.path("response").propertyNames())
                    .contains(
                            "status",
                            "statusText",
                            "httpVersion",
                            "cookies",
                            "headers",
                            "content",
                            "redirectURL",
                            "headersSize",
                            "bodySize");
            assertThat(entry.path("response").path("content").propertyNames()).contains("size", "mimeType");
            assertThat(entry.path("request").path("postData").propertyNames()).contains("mimeType", "params", "text");
            assertThat(entry.path("timings").propertyNames()).contains("send", "wait", "receive");
        }
    }

    @Test
    void anEntrySaysWhatWasRecorded() {
        JsonNode entries = exported(2).path("log").path("entries");
        JsonNode allowed = entries.get(0);
        JsonNode blocked = entries.get(1);

        assertThat(allowed.path("startedDateTime").asString()).isEqualTo("2026-03-01T10:00:00.123456Z");
        assertThat(allowed.path("time").asLong()).isEqualTo(31);
        assertThat(allowed.path("request").path("url").asString())
                .isEqualTo("https://api.example.com/v1/things?page=1");
        assertThat(Json.text(allowed.path("request").path("headers")))
                .isEqualTo("[{\"name\":\"accept\",\"value\":\"*/*\"},{\"name\":\"user-agent\",\"value\":\"curl/8\"}]");
        assertThat(Json.text(allowed.path("request").path("queryString")))
                .isEqualTo("[{\"name\":\"page\",\"value\":\"1\"}]");
        assertThat(allowed.path("request").path("bodySize").asLong()).isEqualTo(120);
        assertThat(allowed.path("response").path("status").asInt()).isEqualTo(200);
        assertThat(allowed.path("response").path("content").path("mimeType").asString())
                .isEqualTo("application/json");
        assertThat(allowed.path("response").path("content").path("text").asString())
                .isEqualTo("{\"things\": []}");
        assertThat(allowed.path("_decision").asString()).isEqualTo("allowed");
        assertThat(blocked.path("response").path("status").asInt()).isEqualTo(403);
        assertThat(blocked.path("_decision").asString()).isEqualTo("denied");
        assertThat(blocked.path("_rule").asString()).isEqualTo("security.rules.http.sample");
    }

    @Test
    void pagesJoinIntoOneDocument() {
        assertThat(exported(450).path("log").path("entries").size()).isEqualTo(450);
    }

    @Test
    void aSessionWithoutTrafficIsAnEmptyDocument() {
        assertThat(exported(0).path("log").path("entries").isArray()).isTrue();
    }

    @Test
    void aSessionWithoutARecordIsRefusedBeforeAnythingIsWritten() {
        Path missing = directory.resolve("missing.db");

        assertThatThrownBy(() -> HarExport.of(missing, "0.1.0")).isInstanceOf(TelemetryException.class);
    }

    @Test
    void portsAndAddressesStandInTheUrlWhereTheyMust() {
        List<String> urls = List.of(
                url("http-mitm", "example.org", 80, "/"),
                url("http-mitm", "example.org", 8080, "/a"),
                url("https-mitm", "example.org", 8443, "/a"),
                url("websocket", "2001:db8::1", 443, "/"));

        assertThat(urls)
                .containsExactly(
                        "http://example.org/",
                        "http://example.org:8080/a",
                        "https://example.org:8443/a",
                        "https://[2001:db8::1]/");
    }

    @Test
    void aHashedLocationIsNoRedirect() {
        ObjectNode plain = Json.object().put("response_headers", "location: /next");
        ObjectNode hashed = Json.object().put("response_headers", "location: hash:0123456789ab");

        assertThat(HarEntry.of(plain).path("response").path("redirectURL").asString())
                .isEqualTo("/next");
        assertThat(HarEntry.of(hashed).path("response").path("redirectURL").asString())
                .isEmpty();
    }

    private static String url(String type, String host, int port, String path) {
        ObjectNode row = Json.object()
                .put("conn_type", type)
                .put("domain", host)
                .put("port", port)
                .put("path", path);
        return HarEntry.of(row).path("request").path("url").asString();
    }
}
