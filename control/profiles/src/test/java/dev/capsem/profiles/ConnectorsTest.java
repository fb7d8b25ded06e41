package dev.capsem.profiles;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.source.json.JsonWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ConnectorsTest {
    private static final String USER = """
            [mcpServers.docs]
            url = "https://docs.example/"
            bearerToken = "${secret:docs-token}"
            [mcpServers.fixed]
            command = "x"
            [mcpServers.fixed.capsem]
            editable = false
            """;

    private static Layers layers() {
        return new Layers()
                .builtIn("coding", ProfileMergeTest.server("shared", "https://shared.example/"))
                .user("coding", USER)
                .corp("acme", ProfileMergeTest.server("company", "https://company.example/"));
    }

    private final Connectors connectors = new Connectors(layers().resolve("coding"));

    @Test
    void listsServersInTheShapeOfTheSpecification() {
        Golden.check("connectors.json", JsonWriter.pretty(connectors.list()) + "\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"docs", "shared", "company"})
    void addsNoNameTwice(String id) {
        assertThat(add("{\"id\": \"" + id + "\", \"url\": \"https://x.example/\"}"))
                .isEqualTo(new Connectors.Outcome.Refused(409, "server_exists", "server_exists: mcpServers." + id));
    }

    @Test
    void addsNothingToALockedSection() {
        Connectors locked = new Connectors(
                layers().corp("more", "[editable]\nmcpServers = false\n").resolve("coding"));

        assertThat(locked.add(Connectors.parse("{\"id\": \"x\", \"url\": \"https://x.example/\"}")
                        .orElseThrow()))
                .isEqualTo(new Connectors.Outcome.Refused(
                        409, "server_is_locked", "server_is_locked: mcpServers.x: mcpServers is locked in coding"));
    }

    @Test
    void addsNothingThatTheCompanyForbids() {
        Connectors forbidding = new Connectors(
                layers().corp("more", "[[directives]]\noperation = \"forbid\"\npath = \"mcpServers.x\"\n")
                        .resolve("coding"));

        assertThat(forbidding.add(Connectors.parse("{\"id\": \"x\", \"url\": \"https://x.example/\"}")
                        .orElseThrow()))
                .isEqualTo(new Connectors.Outcome.Refused(
                        409, "server_is_locked", "server_is_locked: mcpServers.x: your company forbids it"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"id\": \"a__b\", \"url\": \"https://x.example/\"}",
                "{\"id\": \"builtin\", \"url\": \"https://x.example/\"}",
                "{\"id\": \"x\"}",
                "{\"id\": \"x\", \"url\": \"https://x.example/\", \"command\": \"x\"}",
                "{\"id\": \"x\", \"url\": \"https://x.example/\", \"type\": \"stdio\"}",
                "{\"id\": \"x\", \"url\": \"https://x.example/\", \"bearerToken\": \"TOPSECRET\"}",
                "{\"id\": \"x\", \"url\": 3}"
            })
    void refusesWhatIsNotValidWithoutRepeatingSecrets(String body) {
        Connectors.Outcome outcome = add(body);

        assertThat(outcome).isInstanceOf(Connectors.Outcome.Refused.class);
        assertThat(((Connectors.Outcome.Refused) outcome).status()).isEqualTo(400);
        assertThat(outcome.toString()).doesNotContain("TOPSECRET");
    }

    @Test
    void takesEnabledWhereOthersPutIt() {
        Connectors.Outcome outcome = add("{\"id\": \"x\", \"url\": \"https://x.example/\", \"enabled\": false}");

        assertThat(((Connectors.Outcome.Accepted) outcome).server().enabled()).isFalse();
    }

    @Test
    void readsOnlyObjectsWithAnId() {
        assertThat(Connectors.parse("[]")).isEmpty();
        assertThat(Connectors.parse("{\"url\": \"https://x.example/\"}")).isEmpty();
        assertThat(Connectors.parse("{")).isEmpty();
        assertThat(Connectors.parse("{\"id\": \"x\", \"profile_id\": \"mine\"}")
                        .orElseThrow()
                        .profile())
                .contains("mine");
    }

    @Test
    void removesOnlyWhatThePersonAdded() {
        assertThat(connectors.remove("docs")).isInstanceOf(Connectors.Outcome.Removable.class);
        assertThat(connectors.remove("nope").toString()).contains("404", "unknown_server");
        for (String id : new String[] {"shared", "company", "fixed"}) {
            assertThat(connectors.remove(id).toString()).contains("409", "server_is_locked: mcpServers." + id);
        }
    }

    @Test
    void whatAProfileInheritsIsNotDirect() {
        Connectors mine =
                new Connectors(layers().user("mine", "extends = \"coding\"\n").resolve("mine"));

        assertThat(mine.remove("docs").toString()).contains("server_is_locked");
    }

    private Connectors.Outcome add(String body) {
        return connectors.add(Connectors.parse(body).orElseThrow());
    }
}
