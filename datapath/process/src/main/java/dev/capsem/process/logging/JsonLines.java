package dev.capsem.process.logging;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.core.encoder.EncoderBase;
import dev.capsem.wire.json.Json;
import java.nio.charset.StandardCharsets;
import org.slf4j.event.KeyValuePair;
import tools.jackson.databind.node.ObjectNode;

/// One JSON object per line: timestamp, level, target (the logger) and fields, of which `message` is the event's name.
final class JsonLines extends EncoderBase<ILoggingEvent> {
    @Override
    public byte[] headerBytes() {
        return new byte[0];
    }

    @Override
    public byte[] encode(ILoggingEvent event) {
        ObjectNode line = Json.object()
                .put("timestamp", event.getInstant().toString())
                .put("level", event.getLevel().toString())
                .put("target", event.getLoggerName());
        ObjectNode fields = line.putObject("fields").put("message", event.getFormattedMessage());
        if (event.getKeyValuePairs() != null) {
            for (KeyValuePair pair : event.getKeyValuePairs()) {
                fields.put(pair.key, String.valueOf(pair.value));
            }
        }
        IThrowableProxy thrown = event.getThrowableProxy();
        if (thrown != null) {
            fields.put("exception", thrown.getClassName());
            fields.put(
                    "at",
                    thrown.getStackTraceElementProxyArray().length == 0
                            ? ""
                            : thrown.getStackTraceElementProxyArray()[0].getSTEAsString());
        }
        return (Json.text(line) + "\n").getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public byte[] footerBytes() {
        return new byte[0];
    }
}
