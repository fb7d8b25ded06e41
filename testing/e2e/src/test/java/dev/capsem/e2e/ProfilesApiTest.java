package dev.capsem.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Profiles, rules and secrets through the API, with a client nobody here wrote.
@Tag("e2e")
class ProfilesApiTest {
    private static final String SECRET = "a-value-that-must-not-appear";

    @Test
    void aSandboxRunsUnderTheProfileThatIsNamedOrChosen() throws Exception {
        try (Installation installation = Installation.start(Account.available().getLast())) {
            assertThat(installation
                            .get("/profiles")
                            .expect(200)
                            .json()
                            .path("chosen")
                            .asString())
                    .isEqualTo("coding");
            installation.post("/profiles/use", "{\"id\":\"observe\"}").expect(200);
            installation.create("{\"name\":\"watched\",\"persistent\":true}");
            assertThat(Files.readString(installation.home().resolve("run/persistent/watched/effective-profile.json")))
                    .contains("\"profile_id\": \"observe\"");
            installation.post("/provision", "{\"profile_id\":\"nowhere\"}").expect(404);
            assertThat(installation.exec("watched", "id -u").exitCode()).isZero();
        }
    }

    @Test
    void aRuleIsAddedAskedAboutAndRemoved() {
        try (Installation installation = Installation.start(Account.available().getLast())) {
            installation.create("{\"name\":\"lab\",\"persistent\":true}");
            String id = "security.rules.process.no_marks";
            installation
                    .post(
                            "/rules",
                            "{\"id\":\"" + id + "\",\"rule\":{\"on\":\"process.exec\",\"if\":"
                                    + "\"process.exec.command.contains(\\\"mark\\\")\",\"decision\":\"block\"}}")
                    .expect(200);

            assertThat(installation
                            .post("/exec/lab", "{\"command\":\"echo mark\"}")
                            .status())
                    .isNotEqualTo(200);
            assertThat(installation
                            .post("/rules/explain", "{\"sandbox\":\"lab\"}")
                            .expect(200)
                            .json()
                            .path("rule")
                            .asString())
                    .isEqualTo(id);

            installation.delete("/rules/" + id).expect(200);
            assertThat(installation.exec("lab", "echo mark").exitCode()).isZero();
        }
    }

    @Test
    void secretsAreNamedAndNeverShown() throws Exception {
        try (Installation installation = Installation.start(Account.available().getLast())) {
            installation
                    .request(
                            "PUT",
                            "/secrets/docs-token",
                            Optional.of(SECRET.getBytes(StandardCharsets.UTF_8)),
                            "content-type: text/plain")
                    .expect(200);

            assertThat(installation.get("/secrets").expect(200).text())
                    .contains("docs-token")
                    .doesNotContain(SECRET);
            installation
                    .post(
                            "/mcp/connectors",
                            "{\"id\":\"docs\",\"url\":\"https://docs.example/mcp\",\"bearerToken\":"
                                    + "\"${secret:docs-token}\"}")
                    .expect(200);
            assertThat(installation.get("/mcp/connectors").expect(200).text())
                    .contains("docs-token")
                    .doesNotContain(SECRET);
            assertThat(installation.get("/service-logs").text()).doesNotContain(SECRET);
            installation.delete("/secrets/docs-token").expect(200);
        }
    }
}
