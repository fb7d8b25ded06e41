package dev.capsem.api;

import static dev.capsem.http.Route.BodyKind.JSON;
import static dev.capsem.http.Route.BodyKind.OPTIONAL_JSON;

import dev.capsem.http.Api;
import dev.capsem.http.HttpAnswer;
import dev.capsem.http.HttpProblem;
import dev.capsem.http.Route;
import dev.capsem.http.RouteCall;
import dev.capsem.service.approvals.Approvals;
import dev.capsem.service.approvals.Watch;
import dev.capsem.service.reload.Propagation;
import dev.capsem.service.reload.Reloads;
import dev.capsem.wire.json.JsonMembers;
import java.util.List;

/// Routes by which people answer sandboxes and bring changed rules to them.
public final class ConfirmApi implements Api {
    private static final int FAILED = 500;

    private final Approvals approvals;
    private final Reloads reloads;

    public ConfirmApi(Approvals approvals, Reloads reloads) {
        this.approvals = approvals;
        this.reloads = reloads;
    }

    @Override
    public List<Route> routes() {
        return List.of(
                Route.post("/reload-config", OPTIONAL_JSON, this::reload)
                        .answers(
                                "{success, reloaded, failed_session_count, failed_session_ids, failures, message, problems}",
                                "Reads all profiles again and puts them in force in every running sandbox; 500 with the same shape"
                                        + " if one cannot take them."),
                Route.get("/confirm/pending", this::pending)
                        .answers("{pending: […], capacity}", "Questions that wait for a person, oldest first."),
                Route.get("/confirm/stream", this::stream)
                        .answers(
                                "text/event-stream",
                                "snapshot, then pending and resolved, as they happen; of ?sandbox= alone. Its reader counts as an"
                                        + " approver, but for ?answers=false."),
                Route.post("/confirm/{id}", JSON, this::answer)
                        .answers(
                                "{id, outcome, scope, by, rule_written}",
                                "Answers a question: approve or deny, once, for the session or always."));
    }

    HttpAnswer reload(RouteCall call) {
        Propagation told = reloads.all();
        return new HttpAnswer.JsonBody(told.isSuccess() ? 200 : FAILED, told.reloadReply());
    }

    HttpAnswer pending(RouteCall call) {
        return HttpAnswer.json(approvals.pending());
    }

    HttpAnswer stream(RouteCall call) {
        boolean answers = switch (call.query("answers").orElse("true")) {
            case "true" -> true;
            case "false" -> false;
            default ->
                throw new HttpProblem(
                        HttpProblem.Code.WRONG_SHAPE,
                        "answers is true or false",
                        "change or drop the query parameter answers");
        };
        Watch watch = approvals.watching(call.query("sandbox"), answers);
        return new HttpAnswer.Stream("text/event-stream", sink -> approvals.watch(watch, sink::write));
    }

    HttpAnswer answer(RouteCall call) {
        return HttpAnswer.json(approvals.answer(call.variable("id"), JsonMembers.of(call.json(), "")));
    }
}
