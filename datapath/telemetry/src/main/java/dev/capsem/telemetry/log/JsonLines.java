package dev.capsem.telemetry.log;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxy;
import ch.qos.logback.core.encoder.EncoderBase;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.log.LogLine;
import dev.capsem.wire.log.Thrown;
import java.nio.charset.StandardCharsets;
import org.slf4j.event.KeyValuePair;
import tools.jackson.databind.node.ObjectNode;

/// Events as [LogLine]s; `message` is the event's name.
final class JsonLines extends EncoderBase<ILoggingEvent> {
    @Override
    public byte[] headerBytes() {
        return new byte[0];
    }

    @Override
    public byte[] encode(ILoggingEvent event) {
        ObjectNode fields = Json.object().put("message", event.getFormattedMessage());
        if (event.getKeyValuePairs() != null) {
            for (KeyValuePair pair : event.getKeyValuePairs()) {
                fields.put(pair.key, String.valueOf(pair.value));
            }
        }
        if (event.getThrowableProxy() instanceof ThrowableProxy proxy) {
            Thrown.of(proxy.getThrowable()).putInto(fields);
        }
        LogLine line = new LogLine(event.getInstant(), event.getLevel().toString(), event.getLoggerName(), fields);
        return (line.text() + "\n").getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public byte[] footerBytes() {
        return new byte[0];
    }
}
