package dev.capsem.cli;

import dev.capsem.cli.demo.DemoCommand;
import dev.capsem.cli.host.BenchCommand;
import dev.capsem.cli.host.CompletionsCommand;
import dev.capsem.cli.host.ServiceCommand;
import dev.capsem.cli.host.StatusCommand;
import dev.capsem.cli.host.VersionCommand;
import dev.capsem.cli.project.ApplyCommand;
import dev.capsem.cli.project.DiffCommand;
import dev.capsem.cli.record.HistoryCommand;
import dev.capsem.cli.record.LogsCommand;
import dev.capsem.cli.record.StatsCommand;
import dev.capsem.cli.record.VerifyCommand;
import dev.capsem.cli.sandboxes.CopyCommand;
import dev.capsem.cli.sandboxes.CreateCommand;
import dev.capsem.cli.sandboxes.DeleteCommand;
import dev.capsem.cli.sandboxes.ExecCommand;
import dev.capsem.cli.sandboxes.ForkCommand;
import dev.capsem.cli.sandboxes.InfoCommand;
import dev.capsem.cli.sandboxes.ListCommand;
import dev.capsem.cli.sandboxes.PersistCommand;
import dev.capsem.cli.sandboxes.PurgeCommand;
import dev.capsem.cli.sandboxes.ResumeCommand;
import dev.capsem.cli.sandboxes.RunCommand;
import dev.capsem.cli.sandboxes.ShellCommand;
import dev.capsem.cli.sandboxes.StopCommand;
import dev.capsem.cli.sandboxes.SuspendCommand;
import java.util.List;
import java.util.Optional;

/// Every command by name. Only the one that is made is loaded: a trivial command does not pay for the others.
public final class CommandTable {
    /// @param aliases other names
    /// @param summary one line, also the head of its help
    public record Entry(String name, List<String> aliases, Group group, String summary) {
        /// `list, ls`
        public String names() {
            return aliases.isEmpty() ? name : name + ", " + String.join(", ", aliases);
        }

        boolean isCalled(String word) {
            return name.equals(word) || aliases.contains(word);
        }
    }

    public enum Group {
        USE("Run things"),
        PROJECT("A project of yours, copy-on-write"),
        LIFE("Sandboxes"),
        RECORD("What happened"),
        HOST("This installation");

        private final String title;

        Group(String title) {
            this.title = title;
        }

        public String title() {
            return title;
        }
    }

    public static final List<Entry> ENTRIES = List.of(
            entry("run", Group.USE, "Run one command in a fresh sandbox; its exit code is yours."),
            entry("shell", Group.USE, "Open a terminal in a sandbox, a fresh one unless you name it."),
            entry("exec", Group.USE, "Run a command in a sandbox."),
            entry("cp", Group.USE, "Copy a file into a sandbox or out of it."),
            entry("diff", Group.PROJECT, "Show what changed in the sandbox's copy of your project."),
            entry("apply", Group.PROJECT, "Bring changes back into your project."),
            entry("create", Group.LIFE, "Make a sandbox and leave it running."),
            new Entry("list", List.of("ls"), Group.LIFE, "List sandboxes."),
            entry("info", Group.LIFE, "Show everything about one sandbox."),
            entry("stop", Group.LIFE, "Stop sandboxes; temporary ones are gone then."),
            entry("suspend", Group.LIFE, "Freeze a persistent sandbox in place."),
            entry("resume", Group.LIFE, "Thaw or start a persistent sandbox."),
            entry("persist", Group.LIFE, "Keep a temporary sandbox under a name."),
            entry("fork", Group.LIFE, "Copy a sandbox into a new one, stopped."),
            new Entry("delete", List.of("rm"), Group.LIFE, "Delete sandboxes, whatever their state."),
            entry("purge", Group.LIFE, "Delete all temporary sandboxes, or all there are."),
            entry("history", Group.RECORD, "List the commands that ran in a sandbox."),
            entry("logs", Group.RECORD, "Show the logs of a sandbox."),
            entry("stats", Group.RECORD, "Show totals over all sessions."),
            entry("verify", Group.RECORD, "Check that the record of a sandbox is unbroken."),
            entry("status", Group.HOST, "Show the service, what this host can do, and what is wrong."),
            entry("service", Group.HOST, "Start, stop or look at the service."),
            entry("demo", Group.HOST, "A tour in one command, offline; ends clean."),
            entry("bench", Group.HOST, "Measure this installation."),
            entry("completions", Group.HOST, "Print a completion script for your shell."),
            entry("version", Group.HOST, "Print the version."));

    private CommandTable() {}

    public static Optional<Entry> find(String word) {
        for (Entry entry : ENTRIES) {
            if (entry.isCalled(word)) {
                return Optional.of(entry);
            }
        }
        return Optional.empty();
    }

    /// Requires: the name of an entry.
    public static CapsemCommand create(String name, CliContext context) {
        return switch (name) {
            case "run" -> new RunCommand(context);
            case "shell" -> new ShellCommand(context);
            case "exec" -> new ExecCommand(context);
            case "cp" -> new CopyCommand(context);
            case "diff" -> new DiffCommand(context);
            case "apply" -> new ApplyCommand(context);
            case "create" -> new CreateCommand(context);
            case "list" -> new ListCommand(context);
            case "info" -> new InfoCommand(context);
            case "stop" -> new StopCommand(context);
            case "suspend" -> new SuspendCommand(context);
            case "resume" -> new ResumeCommand(context);
            case "persist" -> new PersistCommand(context);
            case "fork" -> new ForkCommand(context);
            case "delete" -> new DeleteCommand(context);
            case "purge" -> new PurgeCommand(context);
            case "history" -> new HistoryCommand(context);
            case "logs" -> new LogsCommand(context);
            case "stats" -> new StatsCommand(context);
            case "verify" -> new VerifyCommand(context);
            case "status" -> new StatusCommand(context);
            case "service" -> new ServiceCommand(context);
            case "demo" -> new DemoCommand(context);
            case "bench" -> new BenchCommand(context);
            case "completions" -> new CompletionsCommand(context);
            case "version" -> new VersionCommand(context);
            default -> throw new IllegalStateException("no command " + name);
        };
    }

    private static Entry entry(String name, Group group, String summary) {
        return new Entry(name, List.of(), group, summary);
    }
}
