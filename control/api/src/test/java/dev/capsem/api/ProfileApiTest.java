package dev.capsem.api;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.capsem.service.FakeHost;
import dev.capsem.service.problem.ServiceProblem;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.service.ServiceError;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;

/// Profiles, connectors and secrets through their routes.
class ProfileApiTest {
    @TempDir
    private Path home = Path.of("replaced by JUnit");

    private Optional<ServiceOfTest> opened = Optional.empty();

    @BeforeEach
    void start() {
        opened = Optional.of(new ServiceOfTest(home));
    }

    @AfterEach
    void stop() {
        opened.orElseThrow().close();
    }

    private Calls calls() {
        return opened.orElseThrow().calls();
    }

    private static String text(String name, String text) {
        return Json.text(Json.object().put("name", name).put("text", text));
    }

    @Test
    void profilesAreListedChosenComparedAndValidated() throws IOException {
        JsonNode list = calls().get("/profiles");
        assertThat(list.path("chosen").asString()).isEqualTo("coding");
        assertThat(list.path("profiles").size()).isEqualTo(3);
        assertThat(calls().get("/profiles/coding?effective=true")
                        .path("entries")
                        .size())
                .isGreaterThan(10);
        assertThat(calls().get("/profiles/coding")
                        .path("sources")
                        .get(0)
                        .path("text")
                        .asString())
                .contains("capsem.profile.v2");

        assertThat(calls().post("/profiles/use", "{\"id\":\"locked-down\"}")
                        .path("chosen")
                        .asString())
                .isEqualTo("locked-down");
        assertThat(calls().post("/provision", "{\"name\":\"box\"}")
                        .path("profile_id")
                        .asString())
                .isEqualTo("locked-down");
        assertThat(Files.readString(home.resolve("run/effective/default.json"))).contains("locked-down");
        calls().refused(ServiceProblem.Code.PROFILE_NOT_FOUND, "POST", "/profiles/use", "{\"id\":\"nowhere\"}");
        assertThat(calls().get("/profiles/diff?from=coding&to=locked-down")
                        .path("changes")
                        .size())
                .isPositive();

        String good = "schema = \"capsem.profile.v2\"\nid = \"mine\"\nextends = \"coding\"\n";
        assertThat(calls().post("/profiles/validate", text("mine.toml", good))
                        .path("ok")
                        .asBoolean())
                .isTrue();
        JsonNode bad = calls().post("/profiles/validate", text("mine.toml", good + "[vmm]\nx = 1\n"));
        assertThat(bad.path("ok").asBoolean()).isFalse();
        assertThat(bad.path("problems").get(0).path("line").asInt()).isEqualTo(4);
    }

    @Test
    void secretsAreKeptAndNeverShown() throws IOException {
        assertThat(calls().json(200, "PUT", "/secrets/docs-token", "hunter2-value")
                        .path("set")
                        .asBoolean())
                .isTrue();

        JsonNode list = calls().get("/secrets");
        assertThat(list.toString())
                .isEqualTo("{\"secrets\":[{\"name\":\"docs-token\",\"set_at\":\"" + FakeHost.NOW
                        + "\",\"grants\":[]}],\"grants\":[],\"encrypted\":true,\"key\":\"file\"}");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(home.resolve("secrets.json"))))
                .isEqualTo("rw-------");
        ServiceError refusal =
                calls().refused(ServiceProblem.Code.BAD_SECRET, "PUT", "/secrets/docs-token", "hunter2\0");
        assertThat(refusal.toJson().toString()).doesNotContain("hunter2");
        assertThat(calls().delete("/secrets/docs-token").path("removed").asBoolean())
                .isTrue();
        calls().refused(ServiceProblem.Code.SECRET_NOT_FOUND, "DELETE", "/secrets/docs-token", "");
    }

    @Test
    void grantsAreAddedTriedAndRevoked() throws IOException {
        String grant = "{\"name\":\"docs\",\"secret\":\"${secret:docs-token}\",\"hosts\":[\"docs.example.com\"],"
                + "\"places\":[\"header:authorization\"],\"methods\":[\"GET\"],\"env\":\"DOCS_TOKEN\"}";

        JsonNode added = calls().post("/grants", grant);

        assertThat(added.path("profile_id").asString()).isEqualTo("coding");
        assertThat(calls().get("/grants")
                        .path("grants")
                        .get(0)
                        .path("provenance")
                        .path("layer")
                        .asString())
                .isEqualTo("user");
        assertThat(Files.readString(home.resolve("profiles/coding.toml"))).contains("[[grant]]");
        String there = "{\"host\":\"docs.example.com\",\"method\":\"GET\",\"path\":\"/a\"}";
        JsonNode without = calls().post("/grants/docs/test", there);
        assertThat(without.path("ok").asBoolean()).isFalse();
        assertThat(without.path("reason").asString()).contains("capsem secret set docs-token");
        calls().json(200, "PUT", "/secrets/docs-token", "hunter2-value");
        assertThat(calls().get("/secrets")
                        .path("secrets")
                        .get(0)
                        .path("grants")
                        .get(0)
                        .asString())
                .isEqualTo("docs");
        JsonNode with = calls().post("/grants/docs/test", there);
        assertThat(with.path("ok").asBoolean()).isTrue();
        assertThat(with.toString()).doesNotContain("hunter2");
        assertThat(calls().post("/grants/docs/test", there.replace("docs.", "www."))
                        .path("covers_host")
                        .asBoolean())
                .isFalse();
        assertThat(calls().delete("/grants/docs").path("revoked").asBoolean()).isTrue();
        calls().refused(ServiceProblem.Code.GRANT_NOT_FOUND, "DELETE", "/grants/docs", "");
        ServiceError refusal = calls().refused(
                        ServiceProblem.Code.BAD_GRANT,
                        "POST",
                        "/grants",
                        grant.replace("${secret:docs-token}", "s3cr3t"));
        assertThat(refusal.toJson().toString()).doesNotContain("s3cr3t");
    }

    @Test
    void theKeyOfTheStoreStaysWhereAKeyringIsMissing() {
        calls().json(200, "PUT", "/secrets/docs-token", "hunter2-value");

        calls().refused(ServiceProblem.Code.OPERATION_FAILED, "POST", "/secrets/key", "{\"place\":\"keyring\"}");
        calls().refused(ServiceProblem.Code.BAD_SECRET, "POST", "/secrets/key", "{\"place\":\"moon\"}");

        assertThat(calls().get("/secrets").path("key").asString()).isEqualTo("file");
    }

    @Test
    void connectorsAreThoseOfTheProfile() {
        String server =
                "{\"id\":\"docs\",\"url\":\"https://docs.example/mcp\",\"bearerToken\":\"${secret:docs-token}\"}";

        JsonNode added = calls().post("/mcp/connectors", server);

        assertThat(added.path("id").asString()).isEqualTo("docs");
        assertThat(added.path("editable").asBoolean()).isTrue();
        assertThat(calls().get("/mcp/connectors").path("servers").size()).isEqualTo(1);
        calls().refused(ServiceProblem.Code.SERVER_EXISTS, "POST", "/mcp/connectors", server);
        calls().refused(
                        ServiceProblem.Code.BAD_SERVER,
                        "POST",
                        "/mcp/connectors",
                        "{\"id\":\"a__b\",\"url\":\"https://x.example\"}");
        assertThat(calls().delete("/mcp/connectors/docs").path("removed").asBoolean())
                .isTrue();
        calls().refused(ServiceProblem.Code.SERVER_NOT_FOUND, "DELETE", "/mcp/connectors/docs", "");
    }

    /// `capsem mcp test` deletes the sandbox in which it failed; `capsem logs` shows the reason afterwards.
    @Test
    void whyAServerFailedIsInTheServicesLog() {
        calls().post("/provision", "{\"name\":\"lab\"}");
        var log = (Logger) LoggerFactory.getLogger(McpApi.class);
        var logged = new ListAppender<ILoggingEvent>();
        logged.start();
        log.addAppender(logged);
        try {
            calls().get("/mcp/tools/lab");
        } finally {
            log.detachAppender(logged);
        }

        assertThat(logged.list).singleElement().satisfies(event -> {
            assertThat(event.getMessage()).isEqualTo("mcp.server.failed");
            assertThat(event.getKeyValuePairs().toString())
                    .contains("near", "it closed the connection", "exit code 3", "no such file | bye");
        });
    }

    @Test
    void toolsOfARunningSandboxAreListedAndApprovedAndNeverCalled() {
        calls().post("/provision", "{\"name\":\"lab\"}");

        JsonNode all = calls().get("/mcp/tools/lab");
        JsonNode one = calls().get("/mcp/tools/lab?server=github");

        assertThat(all.path("tools").size()).isEqualTo(2);
        assertThat(one.path("servers").size()).isEqualTo(1);
        assertThat(one.path("tools").get(0).path("diff").size()).isEqualTo(2);
        calls().refused(ServiceProblem.Code.SERVER_NOT_FOUND, "GET", "/mcp/tools/lab?server=nobody", "");
        calls().refused(ServiceProblem.Code.SANDBOX_NOT_FOUND, "GET", "/mcp/tools/nowhere", "");
        assertThat(calls().post("/mcp/tools/lab/approve", "{\"tools\":[\"github__search\"]}")
                        .path("tools")
                        .size())
                .isEqualTo(2);
        calls().refused(
                        ServiceProblem.Code.TOOL_NOT_FOUND,
                        "POST",
                        "/mcp/tools/lab/approve",
                        "{\"tools\":[\"gone__tool\"]}");
        calls().refused(ServiceProblem.Code.WRONG_SHAPE, "POST", "/mcp/tools/lab/approve", "{}");
    }
}
