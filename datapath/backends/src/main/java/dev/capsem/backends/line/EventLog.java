package dev.capsem.backends.line;

import dev.capsem.wire.json.Json;
import java.io.PrintStream;
import java.time.InstantSource;
import tools.jackson.databind.node.ObjectNode;

/// JSON lines on stderr, which whoever started the program keeps. Never payload, never secrets.
public final class EventLog {
    private final PrintStream out;
    private final InstantSource clock;

    public EventLog(PrintStream out, InstantSource clock) {
        this.out = out;
        this.clock = clock;
    }

    /// @param pairs names and values in turn
    public void warn(String event, String... pairs) {
        line("warn", event, pairs);
    }

    public void note(String event, String... pairs) {
        line("info", event, pairs);
    }

    private void line(String level, String event, String... pairs) {
        ObjectNode json = Json.object()
                .put("timestamp", clock.instant().toString())
                .put("level", level)
                .put("event", event);
        for (int i = 0; i + 1 < pairs.length; i += 2) {
            json.put(pairs[i], pairs[i + 1]);
        }
        out.println(Json.text(json));
    }
}
