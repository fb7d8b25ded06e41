package dev.capsem.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.events.row.Attribution;
import dev.capsem.events.security.Body;
import dev.capsem.events.security.Envelope;
import dev.capsem.events.security.Headers;
import dev.capsem.events.security.SecurityEvent;
import dev.capsem.events.vocabulary.Correlation;
import dev.capsem.events.vocabulary.EventId;
import java.net.InetAddress;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class BrokeredRequestTest {
    private static final String VALUE = "v\u00e4lue/with \"odd\" & signs";
    private static final String STAND_IN = "sk-ant-Ab0Cd1Ef2Gh3Ij4Kl5Mn6Op7Qr8";
    private static final String HERE = "https://api.example.test/v1/a";

    private static String wire(String text) {
        return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
    }

    @Test
    void aRequestWithoutAStandInIsUntouched() {
        assertThat(ask(grants("header:x-api-key"), request("POST", HERE, "x-api-key", "sk-other"), "{}"))
                .isEqualTo(Brokered.UNTOUCHED);
    }

    @Test
    void aHeaderGetsTheValue() {
        Brokered.Filled filled =
                filled(ask(grants("header:x-api-key"), request("POST", HERE, "x-api-key", "a " + STAND_IN + " b"), ""));

        assertThat(filled.head().headers().value("x-api-key")).contains(wire("a " + VALUE + " b"));
        assertThat(filled.uses()).containsExactly(new Brokered.Use("key", "header:x-api-key", 1));
        assertThat(filled.body()).isEmpty();
        assertThat(filled.toString() + filled.head()).doesNotContain("signs");
    }

    @ParameterizedTest
    @ValueSource(strings = {"user:%s", "%s:x-oauth-basic", "%s"})
    void basicIsTakenApartAndPutTogether(String form) {
        Brokered.Filled filled = filled(ask(
                grants("basic"),
                request("GET", HERE, "authorization", "Basic " + base64(String.format(form, STAND_IN))),
                ""));

        assertThat(filled.head().headers().value("authorization"))
                .contains("Basic " + base64(String.format(form, VALUE)));
    }

    @Test
    void aQueryParameterGetsTheValueEscaped() {
        Brokered.Filled filled =
                filled(ask(grants("query:key"), request("GET", HERE + "?a=1&key=" + STAND_IN + "&b"), ""));

        assertThat(filled.head().query()).contains("a=1&key=v%C3%A4lue%2Fwith%20%22odd%22%20%26%20signs&b");
    }

    @Test
    void aPathGetsTheValueEscaped() {
        Brokered.Filled filled =
                filled(ask(grants("path"), request("GET", "https://api.example.test/bot" + STAND_IN + "/send"), ""));

        assertThat(filled.head().path()).isEqualTo("/botv%C3%A4lue%2Fwith%20%22odd%22%20%26%20signs/send");
    }

    @Test
    void aStringOfTheBodyGetsTheValueAndNothingElseChanges() {
        String json = "{ \"n\": 1.50, \"auth\": {\"token\" : \"x " + STAND_IN + "\"}, \"list\":[ true , null]}";

        Brokered.Filled filled = filled(ask(grants("body:/auth/token"), request("POST", HERE), json));

        assertThat(new String(filled.body().orElseThrow(), StandardCharsets.UTF_8))
                .isEqualTo(json.replace(STAND_IN, VALUE.replace("\"", "\\\"")));
        assertThat(filled.uses()).containsExactly(new Brokered.Use("key", "body:/auth/token", 1));
    }

    @Test
    void setModeWritesWhatTheGuestCannotKnow() {
        SecretGrant set = grant("header:authorization", GrantMode.SET, Optional.of("Bearer {}"));

        Brokered.Filled filled =
                filled(ask(of(set), request("GET", HERE, "Authorization", "Bearer of-the-guest", "a", "b"), ""));

        assertThat(filled.head().headers().value("authorization")).contains(wire("Bearer " + VALUE));
        assertThat(filled.head().headers().value("a")).contains("b");
    }

    @Test
    void setModeWritesAQueryParameterAndBasic() {
        SecretGrant query = grant("query:key", GrantMode.SET, Optional.empty());
        SecretGrant basic = grant("basic", GrantMode.SET, Optional.of("x-access-token:{}"));

        assertThat(filled(ask(of(query), request("GET", HERE + "?key=mine&a=1"), ""))
                        .head()
                        .query())
                .contains("a=1&key=v%C3%A4lue%2Fwith%20%22odd%22%20%26%20signs");
        assertThat(filled(ask(of(basic), request("GET", HERE), ""))
                        .head()
                        .headers()
                        .value("authorization"))
                .contains("Basic " + base64("x-access-token:" + VALUE));
    }

    @ParameterizedTest
    @CsvSource({
        "https://other.test/v1/a, the grant is not for this host",
        "https://evil-api.example.test/v1/a, the grant is not for this host",
        "https://api.example.test/v2/a, the grant is not for this method and path",
        "https://api.example.test/v1/../v2/a, the grant is not for this method and path",
        "http://api.example.test/v1/a, the grant is not for plain HTTP to this address"
    })
    void aStandInForAnotherPlaceIsALeak(String url, String reason) {
        SecretGrant grant = new SecretGrant(
                "key",
                List.of("api.example.test"),
                places("header:x-api-key"),
                Set.of(),
                List.of("/v1/*"),
                GrantMode.PLACEHOLDER,
                Optional.empty(),
                1,
                false);

        assertThat(ask(of(grant), request("POST", url, "x-api-key", STAND_IN), ""))
                .isEqualTo(new Brokered.Leaked("key", "header x-api-key", reason));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "cookie|a=%s",
                "x-forwarded-for|%s",
                "user-agent|curl %s",
                "referer|https://api.example.test/?k=%s",
                "authorization|Bearer %s",
                "x-api-key|%s %s",
                "x-api-key|%s, %s",
                "x-api-key2|%s"
            })
    void aStandInInAnotherHeaderOrTooOftenIsALeak(String field) {
        String[] parts = field.split("\\|");
        String value = parts[1].replace("%s", STAND_IN);

        Brokered said = ask(grants("header:x-api-key"), request("POST", HERE, parts[0], value), "");

        assertThat(said)
                .isEqualTo(new Brokered.Leaked(
                        "key", "header " + parts[0], "the grant does not name this place, or not so often"));
    }

    @Test
    void aSecondStandInBesideTheOneThatIsCoveredIsALeak() {
        Brokered said =
                ask(grants("header:x-api-key"), request("POST", HERE, "x-api-key", STAND_IN, "x-echo", STAND_IN), "");

        assertThat(said).isInstanceOf(Brokered.Leaked.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"auth\":{\"other\":\"%s\"}}",
                "{\"auth\":{\"token\":\"%s\",\"other\":\"%s\"}}",
                "{\"auth\":{\"token\":\"%s %s\"}}",
                "{\"auth\":{\"token\":[\"%s\"]}}",
                "{\"auth\":{\"%s\":1}}",
                "{\"auth\":{\"token\":\"%s\"},}",
                "token=%s",
                "prompt: please send %s to me"
            })
    void aStandInElsewhereInTheBodyIsALeak(String form) {
        Brokered said = ask(grants("body:/auth/token"), request("POST", HERE), form.replace("%s", STAND_IN));

        assertThat(said)
                .isInstanceOfSatisfying(
                        Brokered.Leaked.class, leak -> assertThat(leak.place()).isEqualTo("body"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "https://api.example.test/v1/a?x=%s",
                "https://api.example.test/%s",
                "https://api.example.test/v1?%s",
                "https://api.example.test/v1?key=1&Key=%s"
            })
    void aStandInElsewhereInTheUrlIsALeak(String url) {
        Grants grants = grants("query:key");

        assertThat(ask(grants, request("GET", url.replace("%s", STAND_IN)), "")).isInstanceOf(Brokered.Leaked.class);
        assertThat(ask(grants, request("GET", url.replace("%s", base64(STAND_IN))), ""))
                .isInstanceOf(Brokered.Leaked.class);
        assertThat(ask(grants, request("GET", url.replace("%s", STAND_IN.replace("-", "%2d"))), ""))
                .isInstanceOf(Brokered.Leaked.class);
    }

    @Test
    void aCompressedBodyIsNotWrittenInto() {
        Brokered said = ask(
                grants("body:/token"),
                request("POST", HERE, "content-encoding", "gzip"),
                "{\"token\":\"" + STAND_IN + "\"}");

        assertThat(said)
                .isInstanceOfSatisfying(
                        Brokered.Leaked.class, leak -> assertThat(leak.reason()).contains("compressed"));
    }

    @Test
    void plainHttpGetsAValueOnlyNearbyAndOnlyIfTheGrantSaysSo() throws Exception {
        SecretGrant grant = new SecretGrant(
                "key",
                List.of("api.example.test"),
                places("header:x-api-key"),
                Set.of(),
                List.of(),
                GrantMode.PLACEHOLDER,
                Optional.empty(),
                1,
                true);
        SecurityEvent.HttpRequest request = request("GET", "http://api.example.test/", "x-api-key", STAND_IN);

        assertThat(ask(of(grant), request, "")).isInstanceOf(Brokered.Leaked.class);
        assertThat(ask(of(grant), request.withAddress(InetAddress.ofLiteral("203.0.113.7")), ""))
                .isInstanceOf(Brokered.Leaked.class);
        assertThat(ask(of(grant), request.withAddress(InetAddress.ofLiteral("127.0.0.1")), ""))
                .isInstanceOf(Brokered.Filled.class);
        assertThat(ask(of(grant), request.withAddress(InetAddress.ofLiteral("192.168.1.2")), ""))
                .isInstanceOf(Brokered.Filled.class);
        assertThat(ask(of(grant), request.withAddress(InetAddress.ofLiteral("169.254.169.254")), ""))
                .isInstanceOf(Brokered.Leaked.class);
    }

    @Test
    void aValueThatIsMissingIsNeverReplacedByNothing() {
        Held missing = new Held(
                grant("header:x-api-key", GrantMode.PLACEHOLDER, Optional.empty()),
                new Placeholder(STAND_IN),
                Optional.empty(),
                Optional.of("the keyring is locked"));
        Grants grants = Grants.of(List.of(missing));

        assertThat(ask(grants, request("GET", HERE, "x-api-key", STAND_IN), ""))
                .isEqualTo(new Brokered.Unavailable("key", "the keyring is locked"));
        assertThat(ask(grants, request("GET", HERE, "authorization", "Bearer other"), ""))
                .isEqualTo(Brokered.UNTOUCHED);
        assertThat(ask(grants, request("GET", HERE, "cookie", STAND_IN), "")).isInstanceOf(Brokered.Leaked.class);
    }

    @Test
    void aValueWithALineEndIsNotWrittenIntoAHeader() {
        Held held = new Held(
                grant("header:x-api-key", GrantMode.SET, Optional.empty()),
                new Placeholder(STAND_IN),
                Optional.of(SecretValue.of("value\r\nx-admin: 1")),
                Optional.empty());

        assertThat(ask(Grants.of(List.of(held)), request("GET", HERE), "")).isInstanceOf(Brokered.Unavailable.class);
    }

    @Test
    void twoGrantsOfOneHostComposeInOneRequest() {
        Held first = held("first", STAND_IN, "first-value", "header:x-a");
        Held second = held("second", "ghp_0123456789abcdefABCDEF012345", "second-value", "header:x-b");

        Brokered.Filled filled = filled(ask(
                Grants.of(List.of(first, second)),
                request(
                        "GET",
                        HERE,
                        "x-a",
                        STAND_IN,
                        "x-b",
                        second.placeholder().text()),
                ""));

        assertThat(filled.head().headers()).isEqualTo(Headers.of("x-a", "first-value", "x-b", "second-value"));
    }

    @Test
    void aLargeBodyStreamsUnlessAGrantNamesAPlaceInIt() {
        assertThat(grants("basic").request(request("POST", HERE)).orElseThrow().holdsBody(10_000_000))
                .isFalse();
        assertThat(grants("basic").request(request("POST", HERE)).orElseThrow().holdsBody(-1))
                .isFalse();
        assertThat(grants("basic").request(request("POST", HERE)).orElseThrow().holdsBody(100))
                .isTrue();
        assertThat(grants("body:/a")
                        .request(request("POST", HERE))
                        .orElseThrow()
                        .holdsBody(-1))
                .isTrue();
        assertThat(Grants.NONE.request(request("POST", HERE))).isEmpty();
    }

    // ---------------------------------------------------------------- around it

    @ParameterizedTest
    @ValueSource(strings = {"x-" + STAND_IN, STAND_IN, "x.y" + STAND_IN})
    void theNameOfAHeaderHoldsNoStandIn(String name) {
        Brokered said = ask(grants("header:x-api-key"), request("GET", HERE, name, "1"), "");

        assertThat(said)
                .isInstanceOfSatisfying(
                        Brokered.Leaked.class, leak -> assertThat(leak.place()).isEqualTo("name of a header"));
    }

    @Test
    void theMethodHoldsNoStandIn() {
        Brokered said = ask(grants("header:x-api-key"), request(STAND_IN, HERE), "");

        assertThat(said)
                .isInstanceOfSatisfying(
                        Brokered.Leaked.class, leak -> assertThat(leak.place()).isEqualTo("method"));
    }

    /// Names of headers are in lower case on most of their ways.
    @Test
    void aHeaderWhoseNameHoldsTheValueIsLeftOutOfAnAnswer() {
        Held held = held("key", STAND_IN, "Secret.VALUE-0123456789", "header:x-api-key");
        BrokeredResponse response =
                Grants.of(List.of(held)).response("api.example.test").orElseThrow();
        Headers clean = Headers.of("content-type", "text/plain");

        assertThat(response.clean(Headers.of("content-type", "text/plain", "x-secret.value-0123456789", "1")))
                .isEqualTo(clean);
        assertThat(response.clean(clean)).isSameAs(clean);
    }

    private static Brokered ask(Grants grants, SecurityEvent.HttpRequest request, String body) {
        BrokeredRequest brokered = grants.request(request).orElseThrow();
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        brokered.bodyScan().sees(ByteBuffer.wrap(bytes));
        return brokered.decide(request, body.isEmpty() ? Optional.empty() : Optional.of(bytes));
    }

    private static Brokered.Filled filled(Brokered said) {
        assertThat(said).isInstanceOf(Brokered.Filled.class);
        return (Brokered.Filled) said;
    }

    private static Grants grants(String... places) {
        return of(new SecretGrant(
                "key",
                List.of("api.example.test"),
                places(places),
                Set.of(),
                List.of(),
                GrantMode.PLACEHOLDER,
                Optional.empty(),
                1,
                false));
    }

    private static SecretGrant grant(String place, GrantMode mode, Optional<String> format) {
        return new SecretGrant(
                "key", List.of("api.example.test"), places(place), Set.of(), List.of(), mode, format, 1, false);
    }

    private static Grants of(SecretGrant grant) {
        return Grants.of(List.of(
                new Held(grant, new Placeholder(STAND_IN), Optional.of(SecretValue.of(VALUE)), Optional.empty())));
    }

    private static Held held(String name, String standIn, String value, String place) {
        SecretGrant grant = new SecretGrant(
                name,
                List.of("*.example.test"),
                places(place),
                Set.of(),
                List.of(),
                GrantMode.PLACEHOLDER,
                Optional.empty(),
                1,
                false);
        return new Held(grant, new Placeholder(standIn), Optional.of(SecretValue.of(value)), Optional.empty());
    }

    private static List<SecretPlace> places(String... texts) {
        return Arrays.stream(texts)
                .map(text -> ((SecretPlace.Parsed.Read) SecretPlace.parse(text)).place())
                .toList();
    }

    private static SecurityEvent.HttpRequest request(String method, String url, String... headers) {
        URI uri = URI.create(url);
        return new SecurityEvent.HttpRequest(
                Envelope.inline(new EventId("ev-1"), Instant.EPOCH, Attribution.UNKNOWN, Correlation.NONE),
                method,
                uri.getScheme(),
                uri.getHost(),
                443,
                uri.getRawPath(),
                Optional.ofNullable(uri.getRawQuery()),
                Headers.of(headers),
                Body.NONE);
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }
}
