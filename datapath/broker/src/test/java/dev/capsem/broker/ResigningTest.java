package dev.capsem.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.events.row.Attribution;
import dev.capsem.events.security.Body;
import dev.capsem.events.security.Envelope;
import dev.capsem.events.security.Headers;
import dev.capsem.events.security.SecurityEvent;
import dev.capsem.events.vocabulary.Correlation;
import dev.capsem.events.vocabulary.EventId;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Requests to AWS, with signatures that another program made.
final class ResigningTest {
    private static final String VALUE = "wJalr0TESTvalue/K7MDENG+bPxRfiCYREALKEY1";
    private static final String STAND_IN = "Stand0inKeyForSigning0123456789ABCDEFGHI";
    private static final byte[] DYNAMO_BODY = "{\"TableName\":\"lab\"}".getBytes(StandardCharsets.UTF_8);

    /// A line of the vectors.
    record Vector(
            String name,
            String method,
            String host,
            String path,
            Optional<String> query,
            Headers headers,
            String signedHeaders,
            String scope,
            String ofStandIn,
            String ofValue) {
        static Vector read(String line) {
            String[] parts = line.split("\\|", -1);
            List<Headers.Field> fields = new ArrayList<>();
            for (String header : parts[5].split(";", -1)) {
                int equals = header.indexOf('=');
                fields.add(new Headers.Field(header.substring(0, equals), header.substring(equals + 1)));
            }
            fields.add(new Headers.Field("host", parts[2]));
            return new Vector(
                    parts[0],
                    parts[1],
                    parts[2],
                    parts[3],
                    Optional.of(parts[4]).filter(text -> !text.isEmpty()),
                    Headers.of(fields),
                    parts[6].replace(' ', ';'),
                    parts[7].replace(' ', '/'),
                    parts[9],
                    parts[10]);
        }

        String authorization(String keyId, String signature) {
            return "AWS4-HMAC-SHA256 Credential=" + keyId + "/" + scope + ", SignedHeaders=" + signedHeaders
                    + ", Signature=" + signature;
        }

        SecurityEvent.HttpRequest signed(String authorization) {
            int colon = host.indexOf(':');
            return new SecurityEvent.HttpRequest(
                    Envelope.inline(new EventId("e1"), Instant.EPOCH, Attribution.UNKNOWN, Correlation.NONE),
                    method,
                    "https",
                    colon < 0 ? host : host.substring(0, colon),
                    colon < 0 ? 443 : Integer.parseInt(host.substring(colon + 1)),
                    path,
                    query,
                    headers.with("authorization", authorization),
                    name.equals("dynamodb") ? new Body.Unread(Optional.empty()) : Body.NONE);
        }

        Optional<byte[]> body() {
            return name.equals("dynamodb") ? Optional.of(DYNAMO_BODY) : Optional.empty();
        }

        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Vector> vectors() {
        try (InputStream in = Objects.requireNonNull(ResigningTest.class.getResourceAsStream("/sigv4/vectors.txt"))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines().filter(line -> !line.startsWith("#")).map(Vector::read).toList().stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Stream<Vector> wholeBodies() {
        return vectors().filter(vector -> !vector.name().equals("s3 chunks"));
    }

    @ParameterizedTest
    @MethodSource("wholeBodies")
    void leavesWithTheSignatureOfTheValue(Vector vector) {
        Brokered said = decide(vector, vector.authorization("AKIAOWN0123456789012", vector.ofStandIn()), "aws-sigv4");

        assertThat(said).isInstanceOfSatisfying(Brokered.Filled.class, filled -> {
            assertThat(filled.head().headers().value("authorization"))
                    .contains(vector.authorization("AKIAOWN0123456789012", vector.ofValue()));
            assertThat(filled.uses()).containsExactly(new Brokered.Use("aws", "aws-sigv4", 1));
            assertThat(filled.body()).isEmpty();
        });
    }

    @ParameterizedTest
    @MethodSource("wholeBodies")
    void theKeyIdOfTheGrantTakesThePlaceOfTheGuests(Vector vector) {
        Brokered said = decide(
                vector,
                vector.authorization("AKIAOWN0123456789012", vector.ofStandIn()),
                "aws-sigv4:AKIAREAL012345678901");

        assertThat(((Brokered.Filled) said).head().headers().value("authorization"))
                .contains(vector.authorization("AKIAREAL012345678901", vector.ofValue()));
    }

    @ParameterizedTest
    @MethodSource("vectors")
    void whatIsSignedWithAnotherKeyPassesAsItIs(Vector vector) {
        assertThat(decide(vector, vector.authorization("AKIAOWN0123456789012", vector.ofValue()), "aws-sigv4"))
                .isEqualTo(Brokered.UNTOUCHED);
        assertThat(decide(vector, "Bearer of-something-else", "aws-sigv4")).isEqualTo(Brokered.UNTOUCHED);
        assertThat(decide(vector, "AWS4-HMAC-SHA256 Credential=x", "aws-sigv4")).isEqualTo(Brokered.UNTOUCHED);
    }

    @Test
    void signedChunksAreRefusedWithTheReason() {
        Vector chunks = vectors()
                .filter(vector -> vector.name().equals("s3 chunks"))
                .findFirst()
                .orElseThrow();

        Brokered said = decide(chunks, chunks.authorization("AKIAOWN0123456789012", chunks.ofStandIn()), "aws-sigv4");

        assertThat(said)
                .isInstanceOfSatisfying(
                        Brokered.Unavailable.class,
                        why -> assertThat(why.reason()).contains("every chunk of the body is signed"));
    }

    @Test
    void aBodyThatTheHeadDoesNotDescribeIsHeld() {
        Vector dynamo = vectors()
                .filter(vector -> vector.name().equals("dynamodb"))
                .findFirst()
                .orElseThrow();
        SecurityEvent.HttpRequest request =
                dynamo.signed(dynamo.authorization("AKIAOWN0123456789012", dynamo.ofStandIn()));
        BrokeredRequest broker = grants("aws-sigv4", dynamo).request(request).orElseThrow();

        assertThat(broker.holdsBody(5_000_000)).isTrue();
        assertThat(broker.decide(request, Optional.empty())).isInstanceOf(Brokered.Unavailable.class);
    }

    @Test
    void aKeyIdIsChecked() {
        assertThat(SecretPlace.parse("aws-sigv4:AKIA")).isInstanceOf(SecretPlace.Parsed.Unfit.class);
        assertThat(SecretPlace.parse("aws-sigv4:AKIAREAL012345678901"))
                .isInstanceOfSatisfying(
                        SecretPlace.Parsed.Read.class,
                        read -> assertThat(read.place().text()).isEqualTo("aws-sigv4:AKIAREAL012345678901"));
    }

    private static Brokered decide(Vector vector, String authorization, String place) {
        SecurityEvent.HttpRequest request = vector.signed(authorization);
        return grants(place, vector).request(request).orElseThrow().decide(request, vector.body());
    }

    private static Grants grants(String place, Vector vector) {
        SecretGrant grant = new SecretGrant(
                "aws",
                List.of(vector.host().replaceAll(":.*", "")),
                List.of(((SecretPlace.Parsed.Read) SecretPlace.parse(place)).place()),
                Set.of(),
                List.of(),
                GrantMode.PLACEHOLDER,
                Optional.empty(),
                1,
                false);
        return Grants.of(List.of(
                new Held(grant, new Placeholder(STAND_IN), Optional.of(SecretValue.of(VALUE)), Optional.empty())));
    }
}
