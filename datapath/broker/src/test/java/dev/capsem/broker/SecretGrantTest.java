package dev.capsem.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SecretGrantTest {
    @ParameterizedTest
    @CsvSource({
        "api.example.com, api.example.com, true",
        "api.example.com, API.example.com, true",
        "api.example.com, www.api.example.com, false",
        "api.example.com, api.example.com.evil.test, false",
        "*.example.com, a.example.com, true",
        "*.example.com, a.b.example.com, true",
        "*.example.com, example.com, false",
        "*.example.com, evilexample.com, false",
        "*.example.com, .example.com, false"
    })
    void coversItsHosts(String pattern, String host, boolean covers) {
        assertThat(grant(pattern, List.of()).coversHost(host)).isEqualTo(covers);
    }

    @ParameterizedTest
    @ValueSource(strings = {"*", "*.", "", "a b", "*.*.com", "a.*.com", "https://a.com", "a.com/"})
    void refusesHostsThatAreNone(String host) {
        assertThatThrownBy(() -> grant(host, List.of())).isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @CsvSource({
        "/v1/*, /v1/messages, true",
        "/v1/*, /v1/, true",
        "/v1/*, /v2/messages, false",
        "/v1/*/send, /v1/a/b/send, true",
        "/v1/*/send, /v1/send, false",
        "/v1, /v1, true",
        "/v1, /v1/x, false",
        "/v1/*, /v1/../v2, false",
        "/v1/*, /v1/%2e%2e/v2, false",
        "/v1/*, /v1/..%2fv2, false",
        "/v1/*, /v1/..;/v2, false",
        "/v1/*, /v1/%252e%252e/v2, false",
        "/v1/*, /v1//../v2, false",
        "/v1/*, /v1/a%2fb, true"
    })
    void coversItsPathsHoweverAServerReadsThem(String pattern, String path, boolean covers) {
        assertThat(grant("a.test", List.of(pattern)).covers("POST", path)).isEqualTo(covers);
        assertThat(grant("a.test", List.of(pattern)).covers("GET", path)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"header:X-Api-Key", "basic", "query:key", "path", "body:/auth/token", "ws:/a~1b/0"})
    void readsPlaces(String text) {
        assertThat(SecretPlace.parse(text))
                .isInstanceOfSatisfying(
                        SecretPlace.Parsed.Read.class,
                        read -> assertThat(read.place().text()).isEqualToIgnoringCase(text));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "body",
                "ws",
                "body:",
                "body:/",
                "body:a",
                "body:/~2",
                "header:",
                "header:a b",
                "header:Host",
                "header:Referer",
                "query:",
                "query:a=b",
                "cookie",
                "anywhere"
            })
    void refusesPlacesWithAReason(String text) {
        assertThat(SecretPlace.parse(text))
                .isInstanceOfSatisfying(
                        SecretPlace.Parsed.Unfit.class,
                        unfit -> assertThat(unfit.reason()).isNotBlank());
    }

    @Test
    void setModeWritesExactlyOnePlace() {
        List<SecretPlace> two = List.of(new SecretPlace.Basic(), new SecretPlace.Header("x-api-key"));

        assertThat(SecretGrant.isSettable(two)).isFalse();
        assertThat(SecretGrant.isSettable(List.of(new SecretPlace.UrlPath()))).isFalse();
        assertThat(SecretGrant.isSettable(List.of(new SecretPlace.Query("key"))))
                .isTrue();
    }

    @Test
    void aValueShowsItselfToNobody() {
        try (SecretValue value = SecretValue.of("hunter2-hunter2")) {
            assertThat(value.toString()).isEqualTo("***");
        }
    }

    @Test
    void aValueThatWasRotatedOutIsGone() {
        SecretValue value = SecretValue.of("hunter2-hunter2");
        byte[] inside = value.reveal();

        value.close();

        assertThat(inside).containsOnly(0);
        assertThatThrownBy(value::reveal).isInstanceOf(IllegalStateException.class);
    }

    private static SecretGrant grant(String host, List<String> paths) {
        return new SecretGrant(
                "key",
                List.of(host),
                List.of(new SecretPlace.Basic()),
                Set.of("POST"),
                paths,
                GrantMode.PLACEHOLDER,
                Optional.empty(),
                1,
                false);
    }
}
