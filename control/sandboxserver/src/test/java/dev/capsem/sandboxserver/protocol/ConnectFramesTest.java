package dev.capsem.sandboxserver.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonShapeException;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class ConnectFramesTest {
    private static byte[] joined(byte[]... frames) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] frame : frames) {
            all.writeBytes(frame);
        }
        return all.toByteArray();
    }

    @Test
    void readsWhatItWritesUpToTheEnd() {
        byte[] body = joined(
                ConnectFrames.message(Json.object().put("a", 1)),
                ConnectFrames.message(Json.object().put("b", 2)),
                ConnectFrames.end(Json.object()),
                ConnectFrames.message(Json.object().put("after", true)));

        assertThat(ConnectFrames.read(body).toString()).isEqualTo("[{\"a\":1}, {\"b\":2}]");
    }

    @Test
    void everyCutWithinAFrameIsAShapeProblem() {
        byte[] whole = ConnectFrames.message(Json.object().put("a", 1));
        for (int length = 1; length < whole.length; length++) {
            byte[] cut = Arrays.copyOf(whole, length);
            assertThatThrownBy(() -> ConnectFrames.read(cut)).isInstanceOf(JsonShapeException.class);
        }
    }

    @Test
    void compressedAndNegativeLengthsAreRefused() {
        byte[] compressed = ConnectFrames.message(Json.object());
        compressed[0] = 1;
        byte[] negative = ConnectFrames.message(Json.object());
        negative[1] = (byte) 0x80;

        assertThatThrownBy(() -> ConnectFrames.read(compressed)).isInstanceOf(JsonShapeException.class);
        assertThatThrownBy(() -> ConnectFrames.read(negative)).isInstanceOf(JsonShapeException.class);
    }
}
