package dev.capsem.events.address;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class UrlReadingTest {
    /// Each of these names `/forbidden/x` to some server that people run.
    @ParameterizedTest
    @ValueSource(
            strings = {
                "//forbidden/x",
                "///forbidden//x",
                "/%2fforbidden/x",
                "/%2Fforbidden%2fx",
                "/.%2fforbidden/x",
                "/%2e%2fforbidden/x",
                "/a/..%2fforbidden/x",
                "/a/%2e%2e%2fforbidden/x",
                "/a%2f..%2fforbidden%2fx",
                "/a//../forbidden/x",
                "/a/..//forbidden/x",
                "/a/%2f../forbidden/x",
                "/a/b%2f..%2f..%2fforbidden/x",
                "/;/forbidden/x",
                "/;a=b/forbidden/x",
                "/a/..;/forbidden/x",
                "/a/..;b=c/forbidden/x",
                "/a/..%3b/forbidden/x",
                "/forbidden;a/x",
                "/forbidden/x;a",
                "/forbidden/x;/y",
                "/\\forbidden/x",
                "/%5cforbidden/x",
                "/forbidden\\x",
                "/a/..\\forbidden/x",
                "/a\\..\\forbidden\\x",
                "/a/%5c../forbidden/x",
                "/a/..%5cforbidden/x",
                "/%252fforbidden/x",
                "/a/%252e%252e/forbidden/x",
                "/a/%252e%252e%252fforbidden/x",
                "/a/%25252e%25252e/forbidden/x",
                "/a/..%255cforbidden/x",
                "/a/..%c0%afforbidden/x",
                "/a/%c0%ae%C0%AE/forbidden/x",
                "/a/..%c1%9cforbidden/x",
                "/a/..%e0%80%afforbidden/x",
                "/a/..%ef%bc%8fforbidden/x",
                "/a/%EF%BC%8E%ef%bc%8e/forbidden/x",
                "/a/..%u002fforbidden/x",
                "/a/%u002e%u002e/forbidden/x",
                "/a/..%u005Cforbidden/x",
                "/forbidden/x%00",
                "/forbidden/x%00.html",
                "/forbidden/x%2500.html",
                "/forbidden/x%3fa=b",
                "/forbidden/x%23.html",
                "/forbidden%2fx%3b/y",
                "/a/..%09/forbidden/x",
                "/a/.%0d%0a./forbidden/x",
                "/a/.%00./forbidden/x",
                "/forb%09idden/x",
                "/a/..%2509/forbidden/x",
                "/a/..%e2%88%95forbidden/x",
                "/a/..%E2%81%84forbidden/x",
                "/a/%e2%80%a5/forbidden/x",
                "/a/%e2%80%a4./forbidden/x",
                "/a/..%e2%88%96forbidden/x"
            })
    void whatSomeServerTakesForAPathIsAmongItsReadings(String sent) {
        assertThat(UrlReading.others(sent, Optional.empty()))
                .extracting(UrlReading::path)
                .contains("/forbidden/x");
    }

    @ParameterizedTest
    @CsvSource({
        "/x/../forbidden/y,/forbidden/y",
        "/forbidden/../y,/forbidden/../y",
        "/forbidden/%2e%2e/y,/forbidden/../y",
        "/a/..%2fb,/b",
        "/a//b,/a/b",
        "/@scope%2fname,/@scope/name",
        "/a%252fb,/a%2fb"
    })
    void dotsAndSlashesAreReadAsWrittenToo(String sent, String reading) {
        assertThat(Stream.concat(
                        Stream.of(UrlPaths.normalize(sent)),
                        UrlReading.others(sent, Optional.empty()).stream().map(UrlReading::path)))
                .contains(reading);
    }

    /// What ordinary clients send, and everybody understands in one way.
    @ParameterizedTest
    @ValueSource(
            strings = {
                "/",
                "*",
                "/a/b/",
                "/a%20b/%C3%A9.txt",
                "/100%25",
                "/50%25off",
                "/%7Euser/%41",
                "/.well-known/openid",
                "/a/.git/config",
                "/a/...",
                "/v1/models/gemini:generateContent",
                "/a+b/@c/(d)/e,f='g'!*",
                "/%E2%82%AC",
                "/%zz%"
            })
    void mostPathsAreReadInOneWay(String sent) {
        assertThat(UrlReading.others(sent, Optional.of("a=%2f..//;"))).isEmpty();
    }

    @Test
    void aDecodedQuestionMarkMayBeginTheQuery() {
        assertThat(UrlReading.others("/o/info/refs%3Fservice=git-receive-pack", Optional.of("b")))
                .contains(new UrlReading("/o/info/refs", Optional.of("service=git-receive-pack?b")));
    }
}
