package dev.capsem.events.address;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class UrlPathsTest {
    @ParameterizedTest
    @CsvSource({
        "/a/b,            /a/b",
        "*,               *",
        "%41,             A",
        "/.,              /",
        "/..,             /",
        "/./a,            /a",
        "/a/.,            /a/",
        "/a/..,           /",
        "/a/b/..,         /a/",
        "/a/../b,         /b",
        "/../../a,        /a",
        "/a/./b,          /a/b",
        "/.a,             /.a",
        "/...,            /...",
        "/a/%2e%2E/b,     /b",
        "/%2e,            /",
        "/a%2fb,          /a%2Fb",
        "/a%,             /a%",
        "/a%4,            /a%4",
        "/a%41,           /aA",
        "/a%4g,           /a%4g",
        "/a%g4,           /a%g4",
        "//../a,          /a",
    })
    void hasOneNormalSpelling(String path, String expected) {
        assertThat(UrlPaths.normalize(path)).isEqualTo(expected);
    }

    /// The first and the last of each range, and what stands beside them in ASCII.
    @ParameterizedTest
    @ValueSource(chars = {'a', 'z', 'A', 'Z', '0', '9', '-', '.', '_', '~'})
    void decodesWhatMeansTheSameToEverybody(char character) {
        assertThat(UrlPaths.decodeUnreserved("/x%%%02x".formatted((int) character)))
                .isEqualTo("/x" + character);
    }

    @ParameterizedTest
    @ValueSource(chars = {'`', '{', '@', '[', '/', ':', ' ', '%', '\0', '\\', ';'})
    void keepsEveryOtherEscapeInCapitals(char character) {
        String escape = "%%%02X".formatted((int) character);

        assertThat(UrlPaths.decodeUnreserved("/x" + escape)).isEqualTo("/x" + escape);
        assertThat(UrlPaths.decodeUnreserved("/x" + escape.toLowerCase(java.util.Locale.ROOT)))
                .isEqualTo("/x" + escape);
    }

    @Test
    void aSegmentBehindDotsStays() {
        assertThat(UrlPaths.withoutDotSegments("/a/b/../c/./d/")).isEqualTo("/a/c/d/");
        assertThat(UrlPaths.withoutDotSegments("/a/..//b")).isEqualTo("//b");
    }

    @Test
    void dotsAtTheVeryBeginningAreReadAsWrittenToo() {
        assertThat(UrlReading.others("/../a", Optional.empty()))
                .extracting(UrlReading::path)
                .contains("/../a");
        assertThat(UrlReading.others("/a//..//b", Optional.empty()))
                .extracting(UrlReading::path)
                .contains("/a/b", "/b");
        assertThat(UrlReading.others("//a", Optional.empty()))
                .extracting(UrlReading::path)
                .contains("/a");
    }

    @Test
    void nobodyDecodesMoreThanThreeTimes() {
        assertThat(UrlReading.others("/a%25252fb", Optional.empty()))
                .extracting(UrlReading::path)
                .contains("/a/b");
        assertThat(UrlReading.others("/a%2525252fb", Optional.empty()))
                .extracting(UrlReading::path)
                .doesNotContain("/a/b");
    }
}
