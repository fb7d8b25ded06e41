package dev.capsem.cli.approvals;

import dev.capsem.cli.command.CliContext;
import dev.capsem.cli.command.ExitCode;
import dev.capsem.cli.command.PrintingCommand;
import dev.capsem.cli.screen.Printable;
import dev.capsem.cli.screen.Screen;
import dev.capsem.cli.screen.Table;
import dev.capsem.client.ApprovalFeed.Change;
import dev.capsem.client.ApprovalQuestion;
import dev.capsem.wire.json.Json;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// `capsem approvals`
@Command(
        footer = {
            "",
            "A rule with the decision `ask` holds a request until you answer. A request without an answer in",
            "time is blocked. While no one watches it is blocked at once, unless the profile says",
            "`[approvals] unwatched = \"wait\"`. In a terminal, `capsem run`, `exec` and `shell` prompt you",
            "directly. With --watch in a terminal you answer each question with one key; with --json every",
            "change is one line.",
            "Also: capsem approvals approve ID, capsem approvals deny ID.",
            "",
            "Examples:",
            "  capsem approvals",
            "  capsem approvals --watch",
            "  capsem approvals --json | jq -r '.pending[].id'"
        })
public final class ApprovalsCommand extends PrintingCommand {
    @Option(
            names = {"-w", "--watch"},
            description = "Keep showing new questions until Ctrl-C.")
    boolean watch;

    private final Screen screen;

    public ApprovalsCommand(CliContext context) {
        super(context);
        this.screen = context.screen();
    }

    @Override
    protected boolean takeWords(List<String> words) {
        return words.isEmpty();
    }

    @Override
    public int run() {
        if (watch) {
            return watch();
        }
        JsonNode reply = context.service().get("/confirm/pending");
        if (output.isJson()) {
            output.print(screen, reply);
            return ExitCode.DONE;
        }
        var pending = new ArrayList<ApprovalQuestion>();
        reply.path("pending").values().forEach(node -> pending.add(ApprovalQuestion.fromJson(node)));
        if (output.isQuiet()) {
            pending.forEach(question -> screen.print(question.id()));
        } else if (pending.isEmpty()) {
            screen.remark("nothing waits for an answer");
        } else {
            print(pending);
        }
        return ExitCode.DONE;
    }

    private void print(List<ApprovalQuestion> pending) {
        Instant now = context.clock().instant();
        var table =
                Table.of("ID", "SANDBOX", ">LEFT", "WHAT", "RULE").yielding(3).yielding(4);
        for (ApprovalQuestion question : pending) {
            table.add(
                    question.id(),
                    question.sandbox(),
                    question.secondsLeft(now) + " s",
                    question.subject(),
                    question.rule());
        }
        table.printTo(screen);
        screen.remark("answer: capsem approvals approve ID [--scope session], or capsem approvals deny ID");
    }

    private int watch() {
        boolean canAsk = screen.terminals().in() && screen.terminals().err();
        try (WatchedFeed feed = WatchedFeed.ofAll(context.service())) {
            // From here on questions wait for us; nobody must be told so before.
            if (!output.isJson() && !output.isQuiet()) {
                screen.remark("watching; Ctrl-C ends it");
            }
            if (canAsk && !output.isJson()) {
                attend(feed);
            } else {
                for (Optional<Change> change = feed.next(); change.isPresent(); change = feed.next()) {
                    tell(change.get());
                }
            }
        }
        screen.remark("capsem: the service is gone");
        return ExitCode.OURS;
    }

    private void attend(WatchedFeed feed) {
        try (ApprovalPrompt attendance = ApprovalPrompt.ofAll(context, feed)) {
            if (!attendance.awaitEnd()) {
                throw new IllegalStateException("watching ended though the service is there");
            }
        }
    }

    private void tell(Change change) {
        if (output.isJson()) {
            screen.print(Json.text(json(change)));
        } else {
            switch (change) {
                case Change.Snapshot snapshot -> snapshot.pending().forEach(this::tell);
                case Change.Asked asked -> tell(asked.question());
                case Change.Resolved resolved ->
                    screen.print(resolved.id() + "  " + resolved.outcome().replace('_', ' ')
                            + resolved.by()
                                    .map(by -> ", by " + Printable.line(by))
                                    .orElse(""));
            }
        }
        screen.out().flush();
    }

    private void tell(ApprovalQuestion question) {
        screen.print(question.id() + "  " + question.sandbox() + "  " + Printable.line(question.subject()) + "  "
                + question.secondsLeft(context.clock().instant()) + " s left  (" + Printable.line(question.rule())
                + ")");
    }

    private static ObjectNode json(Change change) {
        ObjectNode json = Json.object();
        switch (change) {
            case Change.Snapshot snapshot -> {
                json.put("event", "snapshot");
                var pending = json.putArray("pending");
                snapshot.pending().forEach(question -> pending.add(question.toJson()));
            }
            case Change.Asked asked -> {
                json.put("event", "pending");
                json.setAll(asked.question().toJson());
            }
            case Change.Resolved resolved -> {
                json.put("event", "resolved")
                        .put("id", resolved.id())
                        .put("sandbox", resolved.sandbox())
                        .put("outcome", resolved.outcome());
                resolved.scope().ifPresent(scope -> json.put("scope", scope));
                resolved.by().ifPresent(by -> json.put("by", by));
            }
        }
        return json;
    }
}
