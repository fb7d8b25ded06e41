package dev.capsem.wire.jsonrpc;

import dev.capsem.fuzz.Property;
import java.util.Arrays;

/// What was understood is understood the same way when it was written again.
public final class JsonRpcFuzz {
    private JsonRpcFuzz() {}

    public static void fuzzerTestOneInput(byte[] data) {
        if (JsonRpc.parse(data) instanceof JsonRpc.Parsed.Valid(JsonRpcMessage message)) {
            byte[] written = JsonRpc.bytes(message);
            if (written.length <= JsonRpc.MESSAGE_BYTES_MAX) {
                Property.holds(
                        JsonRpc.parse(written) instanceof JsonRpc.Parsed.Valid(JsonRpcMessage again)
                                && again.getClass() == message.getClass()
                                && Arrays.equals(JsonRpc.bytes(again), written),
                        "a message means something else when it was written again");
            }
        }
    }
}
