package dev.capsem.service.api;

import dev.capsem.service.approvals.Approvals;
import dev.capsem.service.approvals.Watch;
import dev.capsem.service.http.Answer;
import dev.capsem.service.http.Call;
import dev.capsem.service.http.HttpProblem;
import dev.capsem.service.reload.Propagation;
import dev.capsem.service.reload.Reloads;
import dev.capsem.wire.json.JsonMembers;

/// Routes by which people answer sandboxes and bring changed rules to them.
public final class ConfirmDesk {
    private static final int FAILED = 500;

    private final Approvals approvals;
    private final Reloads reloads;

    public ConfirmDesk(Approvals approvals, Reloads reloads) {
        this.approvals = approvals;
        this.reloads = reloads;
    }

    Answer reload(Call call) {
        Propagation told = reloads.all();
        return new Answer.JsonBody(told.isSuccess() ? 200 : FAILED, told.reloadReply());
    }

    Answer pending(Call call) {
        return Answer.json(approvals.pending());
    }

    Answer stream(Call call) {
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
        return new Answer.Stream("text/event-stream", sink -> approvals.watch(watch, sink::write));
    }

    Answer answer(Call call) {
        return Answer.json(approvals.answer(call.variable("id"), JsonMembers.of(call.json(), "")));
    }
}
