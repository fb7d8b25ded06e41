package dev.capsem.events.security;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class BodyReadingTest {
    private static final String SECRET = "BEGIN PRIVATE KEY é";

    private static Body body(byte[] content, String contentType) {
        return Body.of(content, Optional.of(contentType));
    }

    private static List<String> readings(String text) {
        Body.Text body = (Body.Text) Body.of(text);
        return BodyReading.others(body).stream().map(BodyReading::text).toList();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "utf-8",
                "UTF8",
                "utf-16",
                "utf-16le",
                "UTF-16BE",
                "utf-32",
                "utf-32le",
                "iso-8859-1",
                "latin1",
                "windows-1252",
                "cp1250"
            })
    void aBodyIsReadInTheCharsetThatItDeclares(String name) {
        byte[] content = SECRET.getBytes(Charset.forName(name));

        for (String form : List.of("charset=%s", "charset=\"%s\"", "CharSet = %s; x=y")) {
            Body body = body(content, "text/plain; " + form.formatted(name));
            assertThat(((Body.Text) body).text()).as(form).isEqualTo(SECRET);
            assertThat(((Body.Text) body).size()).isEqualTo(content.length);
        }
    }

    @Test
    void whoIgnoresTheCharsetIsThoughtOfToo() {
        for (String name : List.of("utf-16", "utf-32", "ibm037", "utf-16le")) {
            Body.Text body =
                    (Body.Text) body(SECRET.getBytes(StandardCharsets.UTF_8), "application/json; charset=" + name);

            assertThat(BodyReading.others(body).stream().map(BodyReading::text))
                    .as(name)
                    .contains(SECRET);
            assertThat(body.state())
                    .as("a rewrite would write it in another charset")
                    .isEqualTo("binary");
        }
    }

    @Test
    void aByteOrderMarkCountsForMoreThanTheContentType() {
        for (String name : List.of("UTF-16LE", "UTF-16BE", "UTF-32LE", "UTF-32BE")) {
            byte[] content = ("\ufeff" + SECRET).getBytes(Charset.forName(name));

            assertThat(((Body.Text) body(content, "text/plain; charset=utf-8")).text())
                    .as(name)
                    .isEqualTo(SECRET);
            assertThat(body(content, "text/plain; charset=windows-1252"))
                    .as(name)
                    .isInstanceOf(Body.TooLarge.class);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "text/plain; charset=utf-7, its charset is not known here: utf-7",
        "text/plain; charset=x-own, its charset is not known here: x-own",
        "text/plain; charset=\u001b[2J, its charset is not known here: ??2j",
        "text/plain; charset=utf-8; charset=utf-16, its content type names more than one charset"
    })
    void anUnknownCharsetIsNotRead(String contentType, String reason) {
        byte[] content = SECRET.getBytes(StandardCharsets.UTF_8);

        assertThat(body(content, contentType)).isInstanceOf(Body.TooLarge.class);
        assertThat(BodyCharset.of(content, Optional.of(contentType))).isEqualTo(new BodyCharset.Unknown(reason));
    }

    @Test
    void bytesWithoutACharsetAreTakenAsTheyAre() {
        for (String name : List.of("binary", "", "none")) {
            Body body = body(SECRET.getBytes(StandardCharsets.UTF_8), "application/octet-stream; charset=" + name);

            assertThat(((Body.Text) body).text()).isEqualTo(SECRET);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"k\":\"BEGIN \\u0050RIVATE KEY\"}",
                "{\"k\":\"BEGIN\\u0020PRIVATE\\u0020KEY\"}",
                "{\"k\":\"\\u0042\\u0045\\u0047\\u0049\\u004e PRIVATE KEY\"}",
                "k=BEGIN+PRIVATE+KEY",
                "k=BEGIN%20PRIVATE%20KEY",
                "k=%42EGIN+%50RIVATE%20KEY&x=1",
                "payload=%7B%22k%22%3A%22BEGIN%20%5Cu0050RIVATE+KEY%22%7D",
                "B\0E\0G\0I\0N\0 \0P\0R\0I\0V\0A\0T\0E\0 \0K\0E\0Y\0",
                "\0\0\0B\0\0\0E\0\0\0GIN PRIVATE\0 KEY",
                "--x\r\nContent-Type: application/json\r\n\r\n{\"a\":\"BEGIN PRI\\u0056ATE KEY\"}\r\n--x--"
            })
    void otherSpellingsAreReadAsWell(String text) {
        assertThat(readings(text)).anyMatch(reading -> reading.contains("BEGIN PRIVATE KEY"));
    }

    @Test
    void plainTextsHaveOneReading() {
        assertThat(readings("{\"model\":\"m\",\"messages\":[]}")).isEmpty();
        assertThat(readings("a=b&c=d")).isEmpty();
        assertThat(readings("漢字 100 % \"quoted\"")).isEmpty();
    }

    @Test
    void whatMeansTheSameKeepsItsShape() {
        String json = "{\"a\":\"say \\\"hi\\\" \\n \\u00e9\\u0022 \\\\u0041 \\/\"}";
        Body.Text body = (Body.Text) Body.of(json);

        assertThat(BodyReading.others(body))
                .contains(new BodyReading("{\"a\":\"say \\\"hi\\\" \\n é\\u0022 \\\\u0041 /\"}", true))
                .contains(new BodyReading("{\"a\":\"say \"hi\" \n é\" \\u0041 /\"}", false));
        assertThat(BodyReading.undone("a%62%26c+d%C3%A9", false)).isEqualTo("ab%26c+d%C3%A9");
        assertThat(BodyReading.undone("a%62%26c+d%C3%A9", true)).isEqualTo("ab&c dé");
    }

    /// Whatever comes: no reading is longer, none throws, and there are few.
    @Test
    void nothingThatComesIsTooMuch() {
        long seed = 20_260_305;
        Random random = new Random(seed);
        String letters = "\\u%+\0\"/nt0123456789abcdefABCDEFxyz&=é\ud83d";
        for (int i = 0; i < 20_000; i++) {
            StringBuilder text = new StringBuilder();
            int length = random.nextInt(40);
            for (int at = 0; at < length; at++) {
                text.append(letters.charAt(random.nextInt(letters.length())));
            }
            List<String> readings = text.isEmpty() ? List.of() : readings(text.toString());
            assertThat(readings.size()).as("seed %d, %s", seed, text).isLessThanOrEqualTo(12);
            assertThat(readings)
                    .as("seed %d, %s", seed, text)
                    .allMatch(reading -> reading.length() <= text.length())
                    .doesNotContain(text.toString());
        }
    }
}
