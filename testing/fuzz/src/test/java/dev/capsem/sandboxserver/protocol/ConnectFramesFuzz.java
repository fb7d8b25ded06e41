package dev.capsem.sandboxserver.protocol;

import dev.capsem.fuzz.Property;
import dev.capsem.wire.json.JsonShapeException;
import java.io.ByteArrayOutputStream;
import java.util.List;
import tools.jackson.databind.JsonNode;

public final class ConnectFramesFuzz {
    private ConnectFramesFuzz() {}

    public static void fuzzerTestOneInput(byte[] data) {
        List<JsonNode> messages;
        try {
            messages = ConnectFrames.read(data);
        } catch (JsonShapeException refused) {
            return;
        }
        Property.holds(messages.size() <= data.length / 5, "messages out of nothing");
        ByteArrayOutputStream again = new ByteArrayOutputStream();
        messages.forEach(message -> again.writeBytes(ConnectFrames.message(message)));
        Property.same(ConnectFrames.read(again.toByteArray()), messages, "written again");
    }
}
