package dev.capsem.network;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.broker.GrantMode;
import dev.capsem.broker.Grants;
import dev.capsem.events.row.Finding;
import dev.capsem.events.row.GrantUse;
import dev.capsem.events.row.Outcome;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Credentials in the messages of a WebSocket.
@Timeout(180)
@Tag("sockets")
class BrokeredMessagesTest {
    private static final String VALUE = Brokerage.VALUE;
    private static final String STAND_IN = Brokerage.STAND_IN;
    private static final String LOGIN = "{\"auth\":{\"token\":\"" + STAND_IN + "\"}}";

    private final WebSocketTest.Echo echo = new WebSocketTest.Echo();

    @Test
    void theUpstreamHearsTheValueAndTheGuestTheStandIn() throws Exception {
        try (Talk talk = new Talk(grants("ws:/auth/token"))) {
            talk.socket.sendText(LOGIN, true).join();

            // The echo says back what it heard: the value is taken out again.
            assertThat(talk.heard.texts.poll(30, TimeUnit.SECONDS)).isEqualTo("echo " + LOGIN);
            assertThat(echo.heard).containsExactly(LOGIN.replace(STAND_IN, VALUE));
            talk.socket.sendClose(WebSocket.NORMAL_CLOSURE, "").join();
            talk.door.rows(1);
            assertThat(talk.door.recorded)
                    .flatMap(one -> one.rows())
                    .filteredOn(GrantUse.class::isInstance)
                    .singleElement()
                    .satisfies(row -> assertThat(((GrantUse) row).place()).isEqualTo("ws:/auth/token"));
            assertThat(talk.door.recorded.toString()).doesNotContain(VALUE);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"{\"other\":\"%s\"}", "%s", "x %s y"})
    void aStandInElsewhereEndsTheConnection(String form) throws Exception {
        try (Talk talk = new Talk(grants("ws:/auth/token"))) {
            talk.socket.sendText(form.formatted(STAND_IN), true).join();

            talk.assertLeak();
        }
    }

    @Test
    void aStandInIsFoundWhereNoMessageIsHeldAndInParts() throws Exception {
        try (Talk talk = new Talk(grants("header:authorization"))) {
            talk.socket.sendText("good morning", true).join();
            assertThat(talk.heard.texts.poll(30, TimeUnit.SECONDS)).isEqualTo("echo good morning");

            talk.socket
                    .sendText("tell them " + STAND_IN.substring(0, 11), false)
                    .join();
            talk.socket.sendText(STAND_IN.substring(11), true).join();

            assertThat(talk.heard.closed.get(30, TimeUnit.SECONDS)).startsWith("1008 ");
            assertThat(echo.heard).containsExactly("good morning");
        }
    }

    @Test
    void aValueInWhateverTheServerSaysComesBackAsTheStandIn() throws Exception {
        String base64 = Base64.getEncoder().encodeToString(("user:" + VALUE).getBytes(StandardCharsets.UTF_8));
        try (Talk talk = new Talk(grants("header:authorization"))) {
            // The guest does not have the value; here it plays the server's part through the echo.
            talk.socket.sendText("is it " + VALUE + " or " + base64, true).join();

            assertThat(talk.heard.texts.poll(30, TimeUnit.SECONDS))
                    .startsWith("echo is it " + STAND_IN + " or ")
                    .doesNotContain(VALUE)
                    .doesNotContain(base64);
        }
    }

    private static Grants grants(String... places) {
        return Brokerage.grants(GrantMode.PLACEHOLDER, Optional.empty(), true, places);
    }

    /// A WebSocket through the door to the echo.
    private final class Talk implements AutoCloseable {
        private final Origin origin;
        private final Door door;
        private final HttpClient client;
        private final WebSocketTest.Heard heard = new WebSocketTest.Heard();
        private final WebSocket socket;

        Talk(Grants grants) throws Exception {
            origin = Origin.raw(echo);
            door = Brokerage.setup(grants).open();
            client = ProxyFormsTest.proxied(door, HttpClient.Version.HTTP_1_1);
            socket = client.newWebSocketBuilder()
                    .buildAsync(URI.create("ws://" + Door.HOST + ":" + origin.port() + "/ws"), heard)
                    .join();
        }

        void assertLeak() throws Exception {
            assertThat(heard.closed.get(30, TimeUnit.SECONDS)).startsWith("1008 ");
            assertThat(echo.heard).isEmpty();
            assertThat(door.rows(1).get(0).decision()).isEqualTo(Outcome.DENIED);
            Door.await(() -> door.recorded.stream()
                    .anyMatch(one -> one.event().findings().stream()
                            .map(Finding::ruleId)
                            .anyMatch("capsem.placeholder_leak"::equals)));
        }

        @Override
        public void close() throws IOException {
            socket.abort();
            client.close();
            door.close();
            origin.close();
        }
    }
}
