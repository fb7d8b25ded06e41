package dev.capsem.wire.jsonrpc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.wire.jsonrpc.JsonRpc.Parsed;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class JsonRpcTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}",
                "{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"tools/call\",\"params\":{\"name\":\"x\"}}",
                "{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}",
                "{\"jsonrpc\":\"2.0\",\"id\":1.50,\"method\":\"ping\"}",
                "{\"jsonrpc\":\"2.0\",\"id\":123456789012345678901234567890,\"method\":\"ping\"}",
                "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}",
                "{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{\"content\":[]}}",
                "{\"jsonrpc\":\"2.0\",\"id\":7,\"error\":{\"code\":-32601,\"message\":\"no\",\"data\":[1]}}",
                "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32700,\"message\":\"no\"}}",
            })
    void whatIsReadIsWrittenAsItWas(String text) {
        Parsed parsed = parse(text);

        assertThat(parsed)
                .isInstanceOfSatisfying(
                        Parsed.Valid.class,
                        valid -> assertThat(new String(JsonRpc.bytes(valid.message()), StandardCharsets.UTF_8))
                                .isEqualTo(text));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "not json | -32700 | parse error: not JSON at line 1, column 1 | ",
                "{} {} | -32700 | parse error: not JSON: something follows the value | ",
                "{\"a\":1,\"a\":2} | -32700 | parse error: not JSON at line 1, column 11 | ",
                "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}] | -32600 | unsupported JSON-RPC version | ",
                "{\"id\":4,\"method\":\"ping\"} | -32600 | unsupported JSON-RPC version | 4",
                "{\"jsonrpc\":\"1.0\",\"id\":\"x\"} | -32600 | unsupported JSON-RPC version | x",
                "{\"jsonrpc\":\"2.0\",\"id\":4} | -32600 | missing JSON-RPC method | 4",
                "{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"\"} | -32600 | missing JSON-RPC method | 4",
                "{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":7} | -32600 | missing JSON-RPC method | 4",
                "{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"a\",\"params\":[]} | -32600 |"
                        + " invalid JSON-RPC request: params must be an object | 4",
                "{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"a\"} | -32600 |"
                        + " invalid JSON-RPC request: id must be a string, a number or null | ",
                "{\"jsonrpc\":\"2.0\",\"id\":4,\"result\":1,\"error\":{}} | -32600 |"
                        + " invalid JSON-RPC request: result and error exclude one another | 4",
                "{\"jsonrpc\":\"2.0\",\"result\":1} | -32600 | invalid JSON-RPC request: a result has an id | ",
            })
    void eachBrokenMessageHasItsOwnAnswer(String text, int code, String message, String id) {
        assertThat(parse(text)).isInstanceOfSatisfying(Parsed.Invalid.class, invalid -> {
            assertThat(invalid.error()).isEqualTo(JsonRpcError.of(code, message));
            assertThat(invalid.id().map(JsonRpcId::shown)).isEqualTo(Optional.ofNullable(id));
        });
    }

    @Test
    void aMessageBeyondTheLimitIsRefusedByItsSize() {
        byte[] large = new byte[JsonRpc.MESSAGE_BYTES_MAX + 1];

        assertThat(JsonRpc.parse(large))
                .isEqualTo(new Parsed.Invalid(
                        Optional.empty(),
                        JsonRpcError.of(-32600, "JSON-RPC payload too large: " + large.length + " bytes")));
    }

    @Test
    void nestingBeyondTheLimitIsAParseError() {
        String deep = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\",\"params\":{\"a\":" + "[".repeat(5_000);

        assertThat(parse(deep))
                .isInstanceOfSatisfying(
                        Parsed.Invalid.class,
                        invalid -> assertThat(invalid.error().code()).isEqualTo(-32700));
    }

    @Test
    void mutatedMessagesNeverThrow() {
        long seed = 11L;
        Random random = new Random(seed);
        byte[] good = "{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"tools/call\",\"params\":{\"name\":\"a__b\"}}"
                .getBytes(StandardCharsets.UTF_8);
        int broken = 0;
        for (int round = 0; round < 20_000; round++) {
            byte[] bytes = good.clone();
            bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
            if (JsonRpc.parse(bytes) instanceof Parsed.Invalid invalid) {
                assertThat(invalid.error().message()).doesNotContain("a__b");
                broken++;
            }
        }
        assertThat(broken).as("seed %d", seed).isPositive();
    }

    private static Parsed parse(String text) {
        return JsonRpc.parse(text.getBytes(StandardCharsets.UTF_8));
    }
}
