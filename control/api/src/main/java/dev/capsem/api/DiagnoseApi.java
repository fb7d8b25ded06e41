package dev.capsem.api;

import static dev.capsem.http.Route.BodyKind.JSON;

import dev.capsem.events.vocabulary.Timestamps;
import dev.capsem.http.Api;
import dev.capsem.http.HttpAnswer;
import dev.capsem.http.HttpProblem;
import dev.capsem.http.Route;
import dev.capsem.http.RouteCall;
import dev.capsem.service.diagnose.HostLogs;
import dev.capsem.service.diagnose.LogFilter;
import dev.capsem.service.diagnose.Panics;
import dev.capsem.service.diagnose.Since;
import dev.capsem.service.diagnose.Triage;
import dev.capsem.service.inspect.Inspections;
import dev.capsem.service.problem.ServiceProblem;
import dev.capsem.service.records.SessionRecords;
import dev.capsem.service.sandboxes.Sandboxes;
import dev.capsem.telemetry.report.Timeline;
import dev.capsem.wire.HomeLayout;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonMembers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import tools.jackson.databind.node.ObjectNode;

/// Routes for finding out what went wrong.
public final class DiagnoseApi implements Api {
    /// Stands for main.db where a sandbox's id is expected; no sandbox can be called so.
    private static final String MAIN = "_main";

    private static final int LOG_BYTES_DEFAULT = 100 * 1_024;
    private static final int LOG_BYTES_MAX = 5 * 1_048_576;
    private static final int LINES_MAX = 1_000_000;
    private static final int FINDINGS_DEFAULT = 20;
    private static final int FINDINGS_MAX = 200;
    private static final int ROWS_DEFAULT = 200;
    private static final String TRIAGE_SINCE = "30m";

    private final Sandboxes sandboxes;
    private final HomeLayout layout;
    private final Inspections inspections;
    private final SessionRecords records;
    private final InstantSource clock;
    private final HostLogs logs;
    private final Panics panics;
    private final Triage triage;

    public DiagnoseApi(
            Sandboxes sandboxes,
            HomeLayout layout,
            Inspections inspections,
            SessionRecords records,
            InstantSource clock) {
        this.sandboxes = sandboxes;
        this.layout = layout;
        this.inspections = inspections;
        this.records = records;
        this.clock = clock;
        this.logs = new HostLogs(layout);
        this.panics = new Panics(layout, logs);
        this.triage = new Triage(logs, panics);
    }

    @Override
    public List<Route> routes() {
        return List.of(
                Route.post("/inspect/{id}", JSON, this::inspect)
                        .answers(
                                "{columns, rows, truncated}",
                                "Asks the session's database {sql}: one SELECT, WITH or EXPLAIN; also of a stopped or crashed sandbox."),
                Route.get("/timeline/{id}", this::timeline)
                        .answers(
                                "{columns, rows, notes}",
                                "What happened, in order: ?layers=, ?trace_id=, ?since=, ?until=, ?limit= (200)."),
                Route.get("/triage", this::triage)
                        .answers(
                                "{since, session_id, host, session, rank}",
                                "What to look at first: ?since= (30m), ?limit= (20), ?id= for one sandbox."),
                Route.get("/panics", this::panics)
                        .answers("{panics: […]}", "Crashes of our programs, the newest first: ?since=, ?limit= (20)."),
                Route.get("/host-logs/{name}", this::hostLogs)
                        .answers(
                                "text/plain",
                                "The log of service, mcp, gateway, process, aggregator or builtin: ?grep=, ?tail=, ?max_bytes=."));
    }

    HttpAnswer inspect(RouteCall call) {
        String sql = JsonMembers.of(call.json(), "").text("sql");
        String id = call.variable("id");
        Path database =
                id.equals(MAIN) ? layout.mainDatabase() : sandboxes.logsOf(id).resolve("session.db");
        return HttpAnswer.json(inspections.ask(database, sql).toJson());
    }

    HttpAnswer hostLogs(RouteCall call) {
        HostLogs.Name name = HostLogs.Name.named(call.variable("name"))
                .orElseThrow(() -> new ServiceProblem(
                        ServiceProblem.Code.BAD_NAME, "unknown log name: " + call.variable("name"), "use " + names()));
        String text =
                filter(call, true).apply(logs.text(name, call.query("max_bytes", LOG_BYTES_DEFAULT, 1, LOG_BYTES_MAX)));
        return new HttpAnswer.Content(
                "text/plain; charset=utf-8", text.getBytes(StandardCharsets.UTF_8), Optional.empty());
    }

    private static String names() {
        return EnumSet.allOf(HostLogs.Name.class).stream()
                .map(HostLogs.Name::wireName)
                .collect(Collectors.joining(", "));
    }

    static LogFilter filter(RouteCall call, boolean isCaseSensitive) {
        Optional<Integer> tail = call.query("tail").map(_ -> call.query("tail", 0, 0, LINES_MAX));
        return new LogFilter(call.query("grep").filter(text -> !text.isEmpty()), tail, isCaseSensitive);
    }

    HttpAnswer panics(RouteCall call) {
        ObjectNode reply = Json.object();
        var list = reply.putArray("panics");
        panics.since(since(call).orElse(Instant.EPOCH), limit(call)).forEach(panic -> list.add(panic.toJson()));
        return HttpAnswer.json(reply);
    }

    HttpAnswer triage(RouteCall call) {
        String since = call.query("since").orElse(TRIAGE_SINCE);
        Instant from = Since.parse(since, clock.instant());
        Optional<String> id = call.query("id").filter(text -> !text.isEmpty());
        Triage.Scope scope = new Triage.Scope(from, limit(call), id);
        ObjectNode session =
                id.map(known -> troubles(known, from, scope.limit())).orElseGet(Json::object);
        return HttpAnswer.json(triage.report(scope, since, session));
    }

    private ObjectNode troubles(String id, Instant from, int limit) {
        Optional<Path> session = sessionOf(id).filter(directory -> Files.exists(directory.resolve("session.db")));
        return session.isPresent()
                ? records.troubles(session.get(), Timestamps.text(from), limit)
                : Json.object().put("missing", true).put("reason", "session not found");
    }

    private Optional<Path> sessionOf(String id) {
        try {
            return Optional.of(sandboxes.logsOf(id));
        } catch (ServiceProblem e) {
            return Optional.empty();
        }
    }

    HttpAnswer timeline(RouteCall call) {
        String id = call.variable("id");
        Path session = sandboxes.logsOf(id);
        Optional<Instant> from = since(call);
        Timeline.Query query = new Timeline.Query(
                layers(call),
                from.map(Timestamps::text).orElse(""),
                call.query("until")
                        .filter(text -> !text.isEmpty())
                        .map(text -> Timestamps.text(Since.parse(text, clock.instant())))
                        .orElse(""),
                call.query("trace_id").filter(trace -> !trace.isEmpty()),
                call.query("limit", ROWS_DEFAULT, 1, Timeline.Query.LIMIT_MAX),
                call.query("layers").filter(text -> !text.isEmpty()).isEmpty());
        ObjectNode reply = records.timeline(session, query);
        Instant begin = from.orElse(Instant.EPOCH);
        reply.set(
                "notes",
                triage.rank(
                        new Triage.Scope(begin, FINDINGS_DEFAULT, Optional.of(id)),
                        records.troubles(session, query.since(), FINDINGS_DEFAULT)));
        return HttpAnswer.json(reply);
    }

    /// Unknown ones are ignored, as long as one is left.
    private static Set<Timeline.Layer> layers(RouteCall call) {
        Optional<String> wanted = call.query("layers").filter(text -> !text.isEmpty());
        if (wanted.isEmpty()) {
            // A build starts thousands of processes: `/history` folds them.
            return EnumSet.complementOf(EnumSet.of(Timeline.Layer.AUDIT));
        }
        Set<Timeline.Layer> known = Arrays.stream(wanted.get().split(",", -1))
                .flatMap(name -> Timeline.Layer.named(name.strip()).stream())
                .collect(Collectors.toSet());
        if (known.isEmpty()) {
            String all = EnumSet.allOf(Timeline.Layer.class).stream()
                    .map(Timeline.Layer::wireName)
                    .collect(Collectors.joining(", "));
            throw new HttpProblem(HttpProblem.Code.BAD_QUERY, "there is no such layer", "use some of " + all);
        }
        return known;
    }

    private Optional<Instant> since(RouteCall call) {
        return call.query("since").filter(text -> !text.isEmpty()).map(text -> Since.parse(text, clock.instant()));
    }

    private static int limit(RouteCall call) {
        return call.query("limit", FINDINGS_DEFAULT, 1, FINDINGS_MAX);
    }
}
