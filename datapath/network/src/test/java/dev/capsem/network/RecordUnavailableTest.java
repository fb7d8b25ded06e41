package dev.capsem.network;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.events.Admission;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Nothing leaves that could not be put on record.
@Timeout(180)
@Tag("sockets")
class RecordUnavailableTest {
    private static final Admission FULL = new Admission.Refused("the disk is full", "free some space");

    private static Door.Setup answering(CompletableFuture<Admission> admission, CountDownLatch asked) {
        Door.Setup setup = new Door.Setup();
        setup.admission = Optional.of(() -> {
            asked.countDown();
            return admission;
        });
        return setup;
    }

    private static String get(Origin origin, String path) {
        return "GET " + path + " HTTP/1.1\r\nHost: " + Door.HOST + ":" + origin.port()
                + "\r\nAccept: application/json\r\n\r\n";
    }

    private static String post(Origin origin, String body) {
        return "POST /exfil HTTP/1.1\r\nHost: " + Door.HOST + ":" + origin.port() + "\r\nContent-Length: "
                + body.length() + "\r\n\r\n" + body;
    }

    @Test
    void refusesARequestThatCannotBeRecordedAndSaysWhy() throws Exception {
        Door.Setup setup = answering(CompletableFuture.completedFuture(FULL), new CountDownLatch(1));
        try (Origin origin = Origin.tls(Door.ORIGINS, Door.HOST, false, HttpsExchangeTest::ok);
                Door door = setup.open();
                Http1Client client = new Http1Client(door.tls(origin.port(), Door.HOST))) {
            Http1Client.Response refused = client.exchange(get(origin, "/exfil"));

            assertThat(refused.status()).isEqualTo(503);
            assertThat(refused.text())
                    .contains("\"code\":\"record_unavailable\"")
                    .contains("the disk is full")
                    .contains("\"remedy\":\"free some space\"");
            assertThat(client.exchange(post(origin, "SECRET")).status()).isEqualTo(503);
            assertThat(origin.connections()).isZero();
            assertThat(door.asked).isEmpty();
            assertThat(door.recorded).isEmpty();
        }
    }

    @Test
    void holdsARequestUntilThereIsRoomForItsRecord() throws Exception {
        CompletableFuture<Admission> admission = new CompletableFuture<>();
        CountDownLatch asked = new CountDownLatch(1);
        int before = Door.PLACES.get();
        try (Origin origin = Origin.tls(Door.ORIGINS, Door.HOST, false, HttpsExchangeTest::ok);
                Door door = answering(admission, asked).open();
                Http1Client client = new Http1Client(door.tls(origin.port(), Door.HOST))) {
            client.send(post(origin, "hello"));
            asked.await();
            assertThat(origin.connections()).isZero();
            admission.complete(Door.place());

            assertThat(client.read(false).status()).isEqualTo(200);
            assertThat(door.rows(1)).hasSize(1);
            assertThat(origin.log()).hasSize(1);
            Door.await(() -> Door.PLACES.get() == before);
        }
    }

    @Test
    void refusesOverHttp2AsWell() throws Exception {
        Door.Setup setup = answering(CompletableFuture.completedFuture(FULL), new CountDownLatch(1));
        try (Origin origin = Origin.tls(Door.ORIGINS, Door.HOST, true, HttpsExchangeTest::ok);
                Door door = setup.open();
                HttpClient client = ProxyFormsTest.proxied(door, HttpClient.Version.HTTP_2)) {
            URI uri = URI.create("https://" + Door.HOST + ":" + origin.port() + "/exfil");
            HttpResponse<String> refused =
                    client.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());

            assertThat(refused.version()).isEqualTo(HttpClient.Version.HTTP_2);
            assertThat(refused.statusCode()).isEqualTo(503);
            assertThat(origin.connections()).isZero();
        }
    }

    @Test
    void givesThePlaceBackWhenTheGuestLeavesBeforeItIsAdmitted() throws Exception {
        CompletableFuture<Admission> admission = new CompletableFuture<>();
        CountDownLatch asked = new CountDownLatch(1);
        int before = Door.PLACES.get();
        try (Origin origin = Origin.tls(Door.ORIGINS, Door.HOST, false, HttpsExchangeTest::ok);
                Door door = answering(admission, asked).open()) {
            try (Http1Client client = new Http1Client(door.tls(origin.port(), Door.HOST))) {
                client.send(get(origin, "/exfil"));
                asked.await();
            }
            Door.await(admission::isCancelled);
            assertThat(origin.connections()).isZero();
            assertThat(Door.PLACES).hasValue(before);
        }
    }

    @Test
    void givesThePlaceBackHoweverTheExchangeEnds() throws Exception {
        int before = Door.PLACES.get();
        Door.Setup setup = new Door.Setup();
        setup.rules = _ -> HttpsExchangeTest.block("no", "not here");
        try (Origin origin = Origin.tls(Door.ORIGINS, Door.HOST, false, HttpsExchangeTest::ok);
                Door door = setup.open();
                Http1Client client = new Http1Client(door.tls(origin.port(), Door.HOST))) {
            assertThat(client.exchange(get(origin, "/blocked")).status()).isEqualTo(403);
            Door.await(() -> Door.PLACES.get() == before);
        }
        try (Door door = new Door.Setup().open();
                Http1Client client = new Http1Client(door.tls(1, Door.HOST))) {
            String nobody = "GET /nobody HTTP/1.1\r\nHost: " + Door.HOST + ":1\r\n\r\n";
            assertThat(client.exchange(nobody).status()).isEqualTo(502);
            Door.await(() -> Door.PLACES.get() == before);
        }
    }
}
