package dev.capsem.service.diagnose;

import dev.capsem.wire.ipc.IpcProtocol;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.log.LogLine;
import dev.capsem.wire.log.Panic;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// What to look at first: crashes, lost connections, failed and slow operations of this host, and what went wrong
/// in one session.
public final class Triage {
    private static final String CRASHED = "sandbox.crashed";

    private final HostLogs logs;
    private final Panics panics;

    public Triage(HostLogs logs, Panics panics) {
        this.logs = logs;
        this.panics = panics;
    }

    /// The subject of the question.
    ///
    /// @param session only what concerns this sandbox or none
    /// @param limit of each list
    public record Scope(Instant since, int limit, Optional<String> session) {
        private boolean concerns(String sandbox) {
            return sandbox.isEmpty() || session.isEmpty() || isOf(session.get(), sandbox);
        }

        /// A crashed sandbox's directory bears its name and a mark.
        private static boolean isOf(String id, String owner) {
            return owner.equals(id) || owner.startsWith(id + "-failed-");
        }
    }

    /// A line and the program that wrote it.
    private record Said(String binary, LogLine line) {
        Instant at() {
            return line.at();
        }
    }

    /// @param session what its record says, by kind; an empty object when no session is asked about
    public ObjectNode report(Scope scope, String since, ObjectNode session) {
        Findings found = find(scope);
        ObjectNode report = Json.object().put("since", since);
        scope.session().ifPresentOrElse(id -> report.put("session_id", id), () -> report.putNull("session_id"));
        ObjectNode host = report.putObject("host");
        found.panics().forEach(host.putArray("panics")::add);
        list(host, "crashes", found.crashes(), "sandbox");
        list(host, "errors", found.errors());
        list(host, "ipc_drops", found.drops(), "sandbox", "operation", "code");
        list(host, "server_errors", found.serverErrors(), "op", "status", "code");
        slow(host.putArray("slow_ops"), found.slow());
        report.set("session", session);
        rank(report.putArray("rank"), found, session);
        return report;
    }

    /// Only what to look at first.
    public ArrayNode rank(Scope scope, ObjectNode session) {
        ArrayNode rank = Json.array();
        rank(rank, find(scope), session);
        return rank;
    }

    private record Findings(
            List<ObjectNode> panics,
            List<Panic> panicked,
            List<Said> crashes,
            List<Said> errors,
            List<Said> drops,
            List<Said> serverErrors,
            List<Said> slow) {}

    private Findings find(Scope scope) {
        List<Said> all = lines(scope);
        List<Said> ends = all.stream()
                .filter(one -> one.line().field("event").equals(CRASHED))
                .toList();
        List<Said> said = all.stream()
                .filter(one -> scope.concerns(one.line().field("sandbox")))
                .toList();
        List<Panic> panicked = panics.since(scope.since(), scope.limit()).stream()
                .map(panic -> attributed(panic, ends))
                .filter(panic -> scope.concerns(panic.sandbox().orElse("")))
                .toList();
        return new Findings(
                panicked.stream().map(Panic::toJson).toList(),
                panicked,
                newest(said, scope, line -> line.field("event").equals(CRASHED)),
                newest(said, scope, line -> line.isTrouble() && !line.target().equals(Panic.TARGET)),
                newest(said, scope, line -> line.message().equals(IpcProtocol.DROPPED_EVENT)),
                newest(said, scope, line -> line.message().equals(OperationLines.SERVER_ERROR)),
                newest(said, scope, line -> line.message().equals(OperationLines.SLOW)));
    }

    /// A JVM that crashed itself does not know for whom it worked; the service knew its pid.
    private static Panic attributed(Panic panic, List<Said> crashes) {
        if (panic.sandbox().isPresent() || panic.pid() == 0) {
            return panic;
        }
        String pid = Long.toString(panic.pid());
        return crashes.stream()
                .filter(crash -> crash.line().field("pid").equals(pid))
                .findFirst()
                .map(crash -> panic.of(crash.line().field("sandbox")))
                .orElse(panic);
    }

    /// Also what the host's programs say of other sandboxes: their crashes tell whose a panic was.
    private List<Said> lines(Scope scope) {
        List<Said> said = new ArrayList<>();
        for (HostLogs.Name name : EnumSet.allOf(HostLogs.Name.class)) {
            for (HostLogs.Source source : logs.sources(name)) {
                if (!scope.concerns(source.owner().orElse(""))) {
                    continue;
                }
                source.text(Panics.LOG_BYTES_MAX)
                        .lines()
                        .flatMap(line -> LogLine.parse(line).stream())
                        .filter(line -> !line.at().isBefore(scope.since()))
                        .forEach(line -> said.add(new Said(source.binary(), line)));
            }
        }
        said.sort(Comparator.comparing(Said::at).reversed());
        return said;
    }

    private static List<Said> newest(List<Said> said, Scope scope, Predicate<LogLine> which) {
        return said.stream()
                .filter(one -> which.test(one.line()))
                .limit(scope.limit())
                .toList();
    }

    private static void list(ObjectNode host, String name, List<Said> said, String... fields) {
        ArrayNode list = host.putArray(name);
        for (Said one : said) {
            ObjectNode row = list.addObject()
                    .put("ts", one.at().toString())
                    .put("binary", one.binary())
                    .put("level", one.line().level())
                    .put("target", one.line().target())
                    .put("message", sentence(one.line()));
            for (String field : fields) {
                row.put(field, one.line().field(field));
            }
        }
    }

    private static String sentence(LogLine line) {
        String exception = line.field("exception");
        return exception.isEmpty() ? line.message() : line.message() + ": " + exception;
    }

    private static void slow(ArrayNode list, List<Said> said) {
        for (Said one : said) {
            list.addObject()
                    .put("ts", one.at().toString())
                    .put("binary", one.binary())
                    .put("op", one.line().field("op"))
                    .put("duration_ms", millis(one.line()));
        }
    }

    private static long millis(LogLine line) {
        return line.fields().path("duration_ms").asLong(0);
    }

    private static void rank(ArrayNode rank, Findings found, ObjectNode session) {
        Ranking ranking = new Ranking(rank);
        found.panicked().forEach(ranking::panic);
        for (Said crash : found.crashes()) {
            String sandbox = crash.line().field("sandbox");
            ranking.crash(
                    crash.at(),
                    sandbox,
                    found.panicked().stream()
                            .filter(panic -> panic.sandbox()
                                    .filter(id -> Scope.isOf(sandbox, id))
                                    .isPresent())
                            .findFirst());
        }
        for (Said drop : found.drops()) {
            ranking.drop(
                    drop.at(),
                    drop.line().field("sandbox"),
                    drop.line().field("operation"),
                    drop.line().field("code"));
        }
        for (Said error : found.serverErrors()) {
            ranking.serverError(
                    error.at(),
                    error.line().field("op"),
                    error.line().field("status"),
                    error.line().field("code"));
        }
        ranking.session(session);
    }
}
