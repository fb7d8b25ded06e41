package dev.capsem.api;

import dev.capsem.http.Api;
import dev.capsem.http.HttpAnswer;
import dev.capsem.http.HttpProblem;
import dev.capsem.http.Route;
import dev.capsem.http.RouteCall;
import dev.capsem.service.diagnose.LogFilter;
import dev.capsem.service.records.LogFiles;
import dev.capsem.service.records.SessionRecords;
import dev.capsem.service.sandboxes.Sandboxes;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.service.LogsReply;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/// Routes about what was recorded.
public final class RecordApi implements Api {
    private static final int LOG_BYTES_MAX = 1_048_576;
    private static final int TRANSCRIPT_BYTES_MAX = 10 * 1_048_576;
    private static final int HISTORY_LIMIT_DEFAULT = 500;
    private static final int HISTORY_LIMIT_MAX = 10_000;
    private static final Set<String> LAYERS = Set.of("all", "exec", "audit");

    private final Sandboxes sandboxes;
    private final SessionRecords records;

    public RecordApi(Sandboxes sandboxes, SessionRecords records) {
        this.sandboxes = sandboxes;
        this.records = records;
    }

    @Override
    public List<Route> routes() {
        return List.of(
                Route.get("/logs/{id}", this::logs)
                        .answers(
                                "{logs, serial_logs, process_logs, security_logs}",
                                "The agent's console, the log of its process and its security events: ?grep=, ?tail=; also of a crashed one."),
                Route.get("/history/{id}", this::history)
                        .answers(
                                "{commands: […], total, has_more}",
                                "Commands and processes: ?limit= (500), ?offset=, ?search=, ?layer=all, exec or audit, ?fold=true."),
                Route.get("/history/{id}/counts", this::counts)
                        .answers("{exec_count, audit_count}", "How many commands."),
                Route.get("/history/{id}/processes", this::processes)
                        .answers("{processes: […]}", "The hundred programs run most."),
                Route.get("/history/{id}/transcript", this::transcript)
                        .answers("{content, bytes}", "What terminals showed, in base64."),
                Route.get("/verify/{id}", this::verify)
                        .answers(
                                "{intact, events, gaps, events_lost, lost, problem}",
                                "Is the hash chain of the session's events whole?"),
                Route.get("/stats", this::stats)
                        .answers(
                                "{global, sessions, top_providers, top_tools, top_mcp_tools}",
                                "All sessions of this host."));
    }

    HttpAnswer logs(RouteCall call) {
        Path session = sandboxes.logsOf(call.variable("id"));
        LogFilter filter = DiagnoseApi.filter(call, false);
        return HttpAnswer.json(new LogsReply(
                        filter.apply(LogFiles.tail(session.resolve("serial.log"), LOG_BYTES_MAX)),
                        filter.apply(LogFiles.tail(session.resolve("process.log"), LOG_BYTES_MAX)),
                        filter.apply(records.securityLog(session)))
                .toJson());
    }

    HttpAnswer history(RouteCall call) {
        String layer = call.query("layer").orElse("all");
        if (!LAYERS.contains(layer)) {
            throw new HttpProblem(HttpProblem.Code.BAD_QUERY, "there is no such layer", "use all, exec or audit");
        }
        SessionRecords.HistoryQuery query = new SessionRecords.HistoryQuery(
                call.query("limit", HISTORY_LIMIT_DEFAULT, 1, HISTORY_LIMIT_MAX),
                call.query("offset", 0, 0, Integer.MAX_VALUE),
                call.query("search").orElse(""),
                layer,
                call.query("fold").filter(text -> text.equals("true")).isPresent());
        return HttpAnswer.json(records.history(session(call), query).toJson());
    }

    HttpAnswer counts(RouteCall call) {
        return HttpAnswer.json(records.counts(session(call)));
    }

    HttpAnswer processes(RouteCall call) {
        return HttpAnswer.json(records.processes(session(call)));
    }

    HttpAnswer transcript(RouteCall call) {
        byte[] bytes = LogFiles.end(session(call).resolve("pty.log"), TRANSCRIPT_BYTES_MAX);
        return HttpAnswer.json(Json.object()
                .put("content", Base64.getEncoder().encodeToString(bytes))
                .put("bytes", bytes.length));
    }

    HttpAnswer verify(RouteCall call) {
        return HttpAnswer.json(
                records.verify(call.variable("id"), session(call)).toJson());
    }

    HttpAnswer stats(RouteCall call) {
        Map<String, Path> running = sandboxes.all().stream()
                .filter(sandbox -> sandbox.instance().isPresent())
                .collect(Collectors.toMap(
                        sandbox -> sandbox.id().value(),
                        sandbox -> sandbox.facts().sessionDir()));
        return HttpAnswer.json(records.stats(running));
    }

    private Path session(RouteCall call) {
        return sandboxes.find(call.variable("id")).facts().sessionDir();
    }
}
