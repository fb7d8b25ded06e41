package dev.capsem.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.wire.json.Json;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.JsonNode;

class LongJsonTest {
    private static JsonNode written(Consumer<JsonGenerator> members) {
        var bytes = new ByteArrayOutputStream();
        Json.write(bytes, out -> {
            out.writeStartObject();
            members.accept(out);
            out.writeEndObject();
        });
        return Json.parse(bytes.toByteArray());
    }

    private static String text(byte[] bytes) {
        return written(out -> LongJson.text(out, "a", new ByteArrayInputStream(bytes)))
                .path("a")
                .asString();
    }

    /// Whatever the portions are, some pair of halves falls between two of them.
    @Test
    void charactersOfTwoHalvesStayWhole() {
        for (String before : new String[] {"", "x", "xy"}) {
            String text = before + "😀".repeat(50_000) + "ä\u0001\"\\\n";

            assertThat(text(text.getBytes(StandardCharsets.UTF_8))).isEqualTo(text);
        }
    }

    @Test
    void bytesThatAreNotTextAreReplacedAsStringsReplaceThem() {
        byte[] bytes = {'a', (byte) 0xff, (byte) 0xc3, 'b', (byte) 0xf0, (byte) 0x9f};

        assertThat(text(bytes)).isEqualTo(new String(bytes, StandardCharsets.UTF_8));
        assertThat(text(new byte[0])).isEmpty();
    }

    @Test
    void bytesBecomeBase64() {
        byte[] bytes = {0, 1, (byte) 0xff, (byte) 0xfe};

        JsonNode json = written(out -> {
            LongJson.base64(out, "a", new ByteArrayInputStream(bytes), bytes.length);
            LongJson.members(out, Json.object().put("b", 7));
        });

        assertThat(json).isEqualTo(Json.parse("{\"a\":\"AAH//g==\",\"b\":7}"));
    }
}
