package dev.capsem.api;

import dev.capsem.api.metrics.Metrics;
import dev.capsem.http.Api;
import dev.capsem.http.HttpAnswer;
import dev.capsem.http.HttpProblem;
import dev.capsem.http.Route;
import dev.capsem.http.RouteCall;
import dev.capsem.service.records.CostSum;
import dev.capsem.service.records.SessionRecords;
import dev.capsem.service.sandboxes.Sandboxes;
import dev.capsem.service.table.Sandbox;
import dev.capsem.telemetry.read.HarExport;
import dev.capsem.telemetry.report.CostReport.CostBy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/// Routes for whoever runs sandboxes: what they do in numbers, what they cost, what they said to the world.
public final class OperationsApi implements Api {
    private final Sandboxes sandboxes;
    private final SessionRecords records;
    private final Metrics metrics;
    private final String version;

    public OperationsApi(Sandboxes sandboxes, SessionRecords records, Metrics metrics, String version) {
        this.sandboxes = sandboxes;
        this.records = records;
        this.metrics = metrics;
        this.version = version;
    }

    @Override
    public List<Route> routes() {
        return List.of(
                Route.get("/metrics", this::metrics)
                        .answers(
                                "text/plain; version=0.0.4",
                                "Counters, gauges and histograms of the service and all sandboxes, for Prometheus."),
                Route.get("/cost", this::costs)
                        .answers(
                                "{by, rows: […], total}",
                                "Tokens and cost of model calls of all sandboxes there are, ?by=sandbox, model or process."),
                Route.get("/cost/{id}", this::cost)
                        .answers(
                                "{by, rows: […], total}",
                                "Tokens and cost of model calls, ?by=trace, model or process."),
                Route.get("/export/{id}", this::export)
                        .answers("a HAR 1.2 document", "All HTTP exchanges, ?format=har."));
    }

    HttpAnswer metrics(RouteCall call) {
        return new HttpAnswer.Content(
                Metrics.MEDIA_TYPE, metrics.text().getBytes(StandardCharsets.UTF_8), Optional.empty());
    }

    HttpAnswer cost(RouteCall call) {
        String by = call.query("by").orElse("trace");
        CostBy grouping = switch (by) {
            case "trace" -> CostBy.TRACE;
            case "model" -> CostBy.MODEL;
            case "process" -> CostBy.PROCESS;
            default ->
                throw new HttpProblem(
                        HttpProblem.Code.BAD_QUERY, "there is no such breakdown", "use by=trace, model or process");
        };
        ObjectNode report = records.cost(session(call), grouping);
        return HttpAnswer.json(report.put("by", grouping.name().toLowerCase(Locale.ROOT)));
    }

    /// Of all sandboxes there are, stopped ones included.
    HttpAnswer costs(RouteCall call) {
        String by = call.query("by").orElse("sandbox");
        if (!by.equals("sandbox") && !by.equals("model") && !by.equals("process")) {
            throw new HttpProblem(
                    HttpProblem.Code.BAD_QUERY, "there is no such breakdown", "use by=sandbox, model or process");
        }
        CostBy grouping = by.equals("process") ? CostBy.PROCESS : CostBy.MODEL;
        CostSum sum = new CostSum();
        for (Sandbox sandbox : sandboxes.all()) {
            Path session = sandbox.facts().sessionDir();
            if (!Files.exists(session.resolve("session.db"))) {
                continue;
            }
            ObjectNode report = records.cost(session, grouping);
            if (by.equals("sandbox")) {
                sum.add(sandbox.id().value(), report.path("total"));
            } else {
                report.path("rows").forEach(row -> sum.add(row.path("key").asString("unknown"), row));
            }
        }
        return HttpAnswer.json(sum.report().put("by", by));
    }

    HttpAnswer export(RouteCall call) {
        if (!call.query("format").orElse("har").equals("har")) {
            throw new HttpProblem(HttpProblem.Code.BAD_QUERY, "there is no such format", "use format=har");
        }
        HarExport export = records.har(session(call), version);
        return new HttpAnswer.Stream("application/json", sink -> export.write(sink::write));
    }

    private Path session(RouteCall call) {
        return sandboxes.find(call.variable("id")).facts().sessionDir();
    }
}
