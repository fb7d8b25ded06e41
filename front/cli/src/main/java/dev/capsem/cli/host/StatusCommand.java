package dev.capsem.cli.host;

import dev.capsem.cli.budget.BudgetStandings;
import dev.capsem.cli.command.CliContext;
import dev.capsem.cli.command.ExitCode;
import dev.capsem.cli.command.PrintingCommand;
import dev.capsem.cli.screen.Amounts;
import dev.capsem.cli.screen.Facts;
import dev.capsem.cli.screen.Ink;
import dev.capsem.cli.screen.Progress;
import dev.capsem.cli.screen.Screen;
import dev.capsem.wire.HomeLayout;
import dev.capsem.wire.service.StatusReply;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import picocli.CommandLine.Command;
import tools.jackson.databind.node.ObjectNode;

/// `capsem status`
@Command(
        footer = {
            "",
            "Starts the service if it does not run. Exit code 1 when it names a problem.",
            "Names missing start-up caches too: without them programs start slower.",
            "",
            "Examples:",
            "  capsem status"
        })
public final class StatusCommand extends PrintingCommand {
    private static final String WATCHED = "watched, not enforced by the kernel";

    public StatusCommand(CliContext context) {
        super(context);
    }

    @Override
    protected boolean takeWords(List<String> words) {
        return words.isEmpty();
    }

    @Override
    public int run() {
        StatusReply status;
        BudgetStandings budgets;
        try (var _ = Progress.of(context.screen(), "asking the service")) {
            status = context.service().status();
            budgets = BudgetStandings.ask(context.service(), Optional.empty());
        }
        StartUpCaches caches = StartUpCaches.of(context.dist());
        List<String> slow = caches.complaints();
        if (output.isJson()) {
            ObjectNode json = status.toJson();
            slow.forEach(json.putArray("start_up_caches")::add);
            json.set("budgets", budgets.json());
            json.put("authority", hasPrivateAuthority() ? "private" : "built_in");
            output.print(context.screen(), json);
        } else {
            print(context.screen(), status, budgets);
            context.screen()
                    .advise(
                            hasPrivateAuthority()
                                    ? "authority: private, see `capsem ca show`"
                                    : "authority: built-in, whose key is public; a private one: `capsem ca generate`");
            slow.forEach(complaint -> context.screen().print("slow start: " + complaint));
            if (!slow.isEmpty()) {
                context.screen().advise("  → " + caches.remedy());
            }
        }
        return status.problems().isEmpty() ? ExitCode.DONE : ExitCode.NO;
    }

    private boolean hasPrivateAuthority() {
        HomeLayout layout = HomeLayout.of(
                context.environment(),
                Path.of(System.getProperty("user.home")),
                Path.of(System.getProperty("java.io.tmpdir")));
        return Files.exists(layout.authorityKey());
    }

    static void print(Screen screen, StatusReply status, BudgetStandings budgets) {
        var facts = new Facts();
        facts.add(
                "service",
                status.version() + ", pid " + status.pid() + ", up for " + Amounts.duration(status.uptimeSecs()));
        facts.add("home", status.home());
        facts.add("driver", status.driver());
        new TreeMap<>(status.abilities())
                .forEach((name, value) ->
                        facts.add(name.replace('_', ' '), value.equals("watched") ? WATCHED : value.replace('_', ' ')));
        long sandboxes =
                status.sandboxes().values().stream().mapToLong(Long::longValue).sum();
        facts.add("sandboxes", sandboxes + " of at most " + status.sandboxesMax());
        facts.add(
                "warm spares", status.spare().ready() + " of " + status.spare().wanted());
        budgets.summary().ifPresent(text -> facts.add("budgets", text));
        if (status.ipcDrops() > 0 || status.droppedEvents() > 0) {
            facts.add("dropped", status.droppedEvents() + " events, " + status.ipcDrops() + " connections");
        }
        facts.printTo(screen);
        Ink ink = screen.outInk();
        for (StatusReply.Problem problem : status.problems()) {
            screen.print(ink.red("problem") + ": " + problem.cause() + ink.faint(" [" + problem.code() + "]"));
            screen.advise("  → " + problem.remedy());
        }
    }
}
