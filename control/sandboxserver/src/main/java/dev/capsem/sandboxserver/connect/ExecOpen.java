package dev.capsem.sandboxserver.connect;

import dev.capsem.sandboxserver.exec.ExecTimeout;
import dev.capsem.wire.json.JsonMembers;
import dev.capsem.wire.service.ExecRequest;
import dev.capsem.wire.service.TerminalStart;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// How a command is described in this protocol: a line for the shell, or with `args` a program without one.
public final class ExecOpen {
    private ExecOpen() {}

    static ExecRequest command(JsonMembers open) {
        return request(
                open,
                commandOf(open, Optional.empty()),
                Optional.of(ExecTimeout.of(open.optionalNumber("timeoutSeconds"))));
    }

    /// Interactive: without a command a shell, and without a limit in time unless one is given.
    public static TerminalStart terminal(JsonMembers open) {
        Optional<JsonMembers> pty = open.optionalObject("pty");
        Optional<JsonMembers> size = pty.flatMap(fields -> fields.optionalObject("size"));
        Optional<ExecTimeout> limit = open.has("timeoutSeconds")
                ? Optional.of(ExecTimeout.of(open.optionalNumber("timeoutSeconds")))
                : Optional.empty();
        return new TerminalStart(
                request(open, commandOf(open, Optional.of("exec /bin/sh")), limit),
                pty.isPresent(),
                size.map(fields -> fields.integer("rows", TerminalStart.ROWS_DEFAULT))
                        .orElse(TerminalStart.ROWS_DEFAULT),
                size.map(fields -> fields.integer("cols", TerminalStart.COLUMNS_DEFAULT))
                        .orElse(TerminalStart.COLUMNS_DEFAULT));
    }

    static ExecRequest request(JsonMembers open, ExecRequest.Command command, Optional<ExecTimeout> limit) {
        Map<String, String> environment = new LinkedHashMap<>();
        open.objects("env")
                .forEach(pair -> environment.put(
                        pair.text("key"), pair.optionalText("value").orElse("")));
        open.optionalObject("pty")
                .flatMap(pty -> pty.optionalText("term"))
                .filter(term -> !term.isEmpty())
                .ifPresent(term -> environment.put("TERM", term));
        return new ExecRequest(
                command,
                Optional.empty(),
                environment,
                open.optionalText("cwd").filter(cwd -> !cwd.isEmpty()),
                limit.map(ExecTimeout::seconds),
                Optional.of("api"));
    }

    private static ExecRequest.Command commandOf(JsonMembers open, Optional<String> absent) {
        List<String> words = new ArrayList<>(open.texts("args"));
        Optional<String> line = open.optionalText("command").filter(text -> !text.isEmpty());
        if (words.isEmpty()) {
            return new ExecRequest.Command.Shell(line.or(() -> absent).orElseGet(() -> open.text("command")));
        }
        words.addFirst(open.text("command"));
        return new ExecRequest.Command.Argv(words);
    }
}
