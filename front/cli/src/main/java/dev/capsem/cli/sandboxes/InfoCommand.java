package dev.capsem.cli.sandboxes;

import dev.capsem.cli.command.CliContext;
import dev.capsem.cli.command.ExitCode;
import dev.capsem.cli.command.PrintingCommand;
import dev.capsem.cli.screen.Amounts;
import dev.capsem.cli.screen.Facts;
import dev.capsem.wire.service.SandboxSummary;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/// `capsem info`
@Command(footer = {"", "Examples:", "  capsem info lab", "  capsem info lab --json | jq .status"})
public final class InfoCommand extends PrintingCommand {
    @Parameters(index = "0", paramLabel = "SANDBOX", description = "Name or id of the sandbox.")
    String session = "";

    public InfoCommand(CliContext context) {
        super(context);
    }

    @Override
    protected boolean takeWords(List<String> words) {
        return one(words, word -> session = word);
    }

    @Override
    public int run() {
        SandboxSummary sandbox = context.service().sandbox(session);
        if (output.isJson()) {
            output.print(context.screen(), sandbox.toJson());
            return ExitCode.DONE;
        }
        var facts = new Facts();
        facts.add("id", sandbox.id());
        facts.add("status", sandbox.status().toLowerCase(Locale.ROOT));
        sandbox.lastError().ifPresent(why -> facts.add("problem", why + " (see `capsem logs " + sandbox.id() + "`)"));
        facts.add("kept", sandbox.persistent() ? "yes, until deleted" : "no, gone when stopped");
        sandbox.description().ifPresent(text -> facts.add("description", text));
        sandbox.forkedFrom().ifPresent(text -> facts.add("forked from", text));
        sandbox.project().ifPresent(text -> facts.add("project", text));
        sandbox.lastCommand().ifPresent(text -> facts.add("last command", text));
        sandbox.changes().ifPresent(count -> facts.add("changes", count.toString()));
        sandbox.ramMb().ifPresent(mb -> facts.add("memory", mb + " MB"));
        sandbox.cpus().ifPresent(cpus -> facts.add("cpus", cpus.toString()));
        sandbox.createdAt().ifPresent(text -> facts.add("created", text));
        sandbox.uptimeSecs().ifPresent(seconds -> facts.add("up for", Amounts.duration(seconds)));
        sandbox.sizeBytes().ifPresent(bytes -> facts.add("on disk", Amounts.bytes(bytes)));
        sandbox.diskMb().ifPresent(mb -> facts.add("disk quota", mb + " MB"));
        if (sandbox.pid() > 0) {
            facts.add("process", Long.toString(sandbox.pid()));
        }
        sandbox.execAuditOff()
                .ifPresent(why -> facts.add("exec audit", "off, programs that start inside are not recorded: " + why));
        new TreeMap<>(sandbox.counters()).forEach((name, count) -> {
            if (count > 0 || !SandboxSummary.isLoss(name)) {
                facts.add(name.replace('_', ' '), count.toString());
            }
        });
        facts.printTo(context.screen());
        return ExitCode.DONE;
    }
}
