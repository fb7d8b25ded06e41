package dev.capsem.telemetry.read;

import dev.capsem.wire.json.Json;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import tools.jackson.databind.node.ObjectNode;

/// The HTTP exchanges of a session as one HAR 1.2 document, written piece by piece: at most a page of rows is in
/// memory, and no page holds up the writer. What is recorded while it is written is left out.
public final class HarExport {
    private static final int PAGE = 200;

    private static final String COMMENT = "Recorded by Capsem. Headers are exported as they were recorded: values that"
            + " are not on the list of harmless ones are hashes. Bodies are redacted previews, at most 4 KiB of each"
            + " (64 KiB of model traffic); the sizes are the true ones.";

    private final Path sessionDb;
    private final String version;
    private final long lastId;

    private HarExport(Path sessionDb, String version, long lastId) {
        this.sessionDb = sessionDb;
        this.version = version;
        this.lastId = lastId;
    }

    /// Throws [TelemetryException] when there is no such database.
    public static HarExport of(Path sessionDb, String version) {
        try (SessionReader reader = SessionReader.open(sessionDb)) {
            return new HarExport(sessionDb, version, reader.lastRequest());
        }
    }

    public void write(Consumer<byte[]> sink) {
        ObjectNode log = Json.object().put("version", "1.2");
        log.putObject("creator").put("name", "Capsem").put("version", version);
        String head = Json.text(log.put("comment", COMMENT));
        sink.accept(bytes("{\"log\":" + head.substring(0, head.length() - 1) + ",\"entries\":["));
        try (SessionReader reader = SessionReader.open(sessionDb)) {
            long after = 0;
            for (List<ObjectNode> page = reader.requests(after, lastId, PAGE);
                    !page.isEmpty();
                    page = reader.requests(after, lastId, PAGE)) {
                StringBuilder text = new StringBuilder();
                for (ObjectNode row : page) {
                    text.append(after == 0 ? "\n" : ",\n").append(Json.text(HarEntry.of(row)));
                    after = row.path("id").asLong();
                }
                sink.accept(bytes(text.toString()));
            }
        }
        sink.accept(bytes("\n]}}\n"));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
