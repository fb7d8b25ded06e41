package dev.capsem.network;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.broker.GrantMode;
import dev.capsem.broker.Grants;
import dev.capsem.events.row.GrantUse;
import dev.capsem.events.row.Outcome;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// A client inside signs for AWS with the stand-in; a server that checks signatures by itself takes what arrives.
@Timeout(180)
@Tag("sockets")
class SignedRequestsTest {
    private static final String SCOPE = "20260102/us-east-1/s3/aws4_request";
    private static final String TIME = "20260102T030405Z";
    private static final String SIGNED = "host;x-amz-content-sha256;x-amz-date";
    private static final String CONTENT = "the content of an object";

    @Test
    void anObjectIsPutWithTheSignatureOfTheValueInEveryVersionOfHttp() throws Exception {
        for (boolean upstreamHttp2 : new boolean[] {false, true}) {
            for (HttpClient.Version version : HttpClient.Version.values()) {
                try (Origin origin = Origin.tls(Door.ORIGINS, Door.HOST, upstreamHttp2, HttpsExchangeTest::ok);
                        Door door = Brokerage.setup(grants()).open();
                        HttpClient client = ProxyFormsTest.proxied(door, version)) {
                    String host = Door.HOST + ":" + origin.port();
                    HttpResponse<String> answer = put(client, host, hash(CONTENT), Brokerage.STAND_IN);

                    assertThat(answer.statusCode()).isEqualTo(200);
                    assertThat(answer.version()).isEqualTo(version);
                    Origin.Seen seen = origin.log().get(0);
                    assertThat(seen.text()).isEqualTo(CONTENT);
                    assertThat(seen.headers().get("authorization"))
                            .isEqualTo(authorization(host, seen.headers(), Brokerage.VALUE));
                    door.rows(1);
                    assertThat(door.recorded)
                            .flatMap(one -> one.rows())
                            .filteredOn(GrantUse.class::isInstance)
                            .singleElement()
                            .satisfies(
                                    row -> assertThat(((GrantUse) row).place()).isEqualTo("aws-sigv4"));
                }
            }
        }
    }

    @Test
    void unsignedPayloadsPassAndSignedChunksDoNot() throws Exception {
        try (Origin origin = Origin.tls(Door.ORIGINS, Door.HOST, false, HttpsExchangeTest::ok);
                Door door = Brokerage.setup(grants()).open();
                HttpClient client = ProxyFormsTest.proxied(door, HttpClient.Version.HTTP_1_1)) {
            String host = Door.HOST + ":" + origin.port();
            for (String payload : new String[] {"UNSIGNED-PAYLOAD", "STREAMING-UNSIGNED-PAYLOAD-TRAILER"}) {
                assertThat(put(client, host, payload, Brokerage.STAND_IN).statusCode())
                        .isEqualTo(200);
            }
            assertThat(origin.log())
                    .hasSize(2)
                    .allSatisfy(seen -> assertThat(seen.headers().get("authorization"))
                            .isEqualTo(authorization(host, seen.headers(), Brokerage.VALUE)));

            HttpResponse<String> refused = put(client, host, "STREAMING-AWS4-HMAC-SHA256-PAYLOAD", Brokerage.STAND_IN);

            assertThat(refused.body()).contains("secret_unavailable", "every chunk of the body is signed");
            assertThat(origin.log()).hasSize(2);
            assertThat(door.rows(3)).extracting(row -> row.decision()).contains(Outcome.DENIED);
        }
    }

    @Test
    void aKeyOfTheGuestsOwnPassesAsItIs() throws Exception {
        try (Origin origin = Origin.tls(Door.ORIGINS, Door.HOST, false, HttpsExchangeTest::ok);
                Door door = Brokerage.setup(grants()).open();
                HttpClient client = ProxyFormsTest.proxied(door, HttpClient.Version.HTTP_1_1)) {
            String host = Door.HOST + ":" + origin.port();

            put(client, host, hash(CONTENT), "a-key-of-its-own");

            Map<String, String> seen = origin.log().get(0).headers();
            assertThat(seen.get("authorization")).isEqualTo(authorization(host, seen, "a-key-of-its-own"));
        }
    }

    private static Grants grants() {
        return Brokerage.grants(GrantMode.PLACEHOLDER, Optional.empty(), false, "aws-sigv4");
    }

    private static HttpResponse<String> put(HttpClient client, String host, String payload, String key)
            throws Exception {
        Map<String, String> headers = Map.of("x-amz-content-sha256", payload, "x-amz-date", TIME);
        return client.send(
                HttpRequest.newBuilder(URI.create("https://" + host + "/bucket/a%20b.txt"))
                        .header("x-amz-content-sha256", payload)
                        .header("x-amz-date", TIME)
                        .header("authorization", authorization(host, headers, key))
                        .PUT(HttpRequest.BodyPublishers.ofString(CONTENT))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    /// As the server computes it: from what arrived and the key that it knows.
    private static String authorization(String host, Map<String, String> headers, String key)
            throws GeneralSecurityException {
        String payload = String.valueOf(headers.get("x-amz-content-sha256"));
        String canonical = "PUT\n/bucket/a%20b.txt\n\nhost:" + host + "\nx-amz-content-sha256:" + payload
                + "\nx-amz-date:" + headers.get("x-amz-date") + "\n\n" + SIGNED + "\n" + payload;
        byte[] signing = hmac(
                hmac(hmac(hmac(("AWS4" + key).getBytes(StandardCharsets.UTF_8), "20260102"), "us-east-1"), "s3"),
                "aws4_request");
        String signature = HexFormat.of()
                .formatHex(hmac(signing, "AWS4-HMAC-SHA256\n" + TIME + "\n" + SCOPE + "\n" + hash(canonical)));
        return "AWS4-HMAC-SHA256 Credential=AKIAGUEST0123456789/" + SCOPE + ", SignedHeaders=" + SIGNED + ", Signature="
                + signature;
    }

    private static byte[] hmac(byte[] key, String text) throws GeneralSecurityException {
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(key, "HmacSHA256"));
        return mac.doFinal(text.getBytes(StandardCharsets.UTF_8));
    }

    private static String hash(String text) throws GeneralSecurityException {
        return HexFormat.of()
                .formatHex(MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
    }
}
