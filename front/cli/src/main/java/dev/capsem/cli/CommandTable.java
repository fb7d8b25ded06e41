package dev.capsem.cli;

import dev.capsem.cli.approvals.ApprovalsCommand;
import dev.capsem.cli.approvals.ApproveCommand;
import dev.capsem.cli.approvals.DenyCommand;
import dev.capsem.cli.authority.CaGenerateCommand;
import dev.capsem.cli.authority.CaShowCommand;
import dev.capsem.cli.connectors.McpAddCommand;
import dev.capsem.cli.connectors.McpApproveCommand;
import dev.capsem.cli.connectors.McpDiffCommand;
import dev.capsem.cli.connectors.McpListCommand;
import dev.capsem.cli.connectors.McpRemoveCommand;
import dev.capsem.cli.connectors.McpTestCommand;
import dev.capsem.cli.connectors.McpToolsCommand;
import dev.capsem.cli.demo.DemoCommand;
import dev.capsem.cli.diagnose.InspectCommand;
import dev.capsem.cli.diagnose.PanicsCommand;
import dev.capsem.cli.diagnose.TimelineCommand;
import dev.capsem.cli.diagnose.TriageCommand;
import dev.capsem.cli.host.BenchCommand;
import dev.capsem.cli.host.CompletionsCommand;
import dev.capsem.cli.host.ReloadCommand;
import dev.capsem.cli.host.ServiceCommand;
import dev.capsem.cli.host.StatusCommand;
import dev.capsem.cli.host.VersionCommand;
import dev.capsem.cli.install.McpInstallCommand;
import dev.capsem.cli.profile.ProfilesDiffCommand;
import dev.capsem.cli.profile.ProfilesFetchCommand;
import dev.capsem.cli.profile.ProfilesKeygenCommand;
import dev.capsem.cli.profile.ProfilesListCommand;
import dev.capsem.cli.profile.ProfilesShowCommand;
import dev.capsem.cli.profile.ProfilesSignCommand;
import dev.capsem.cli.profile.ProfilesUseCommand;
import dev.capsem.cli.profile.ProfilesValidateCommand;
import dev.capsem.cli.profile.SecretListCommand;
import dev.capsem.cli.profile.SecretRemoveCommand;
import dev.capsem.cli.profile.SecretSetCommand;
import dev.capsem.cli.project.ApplyCommand;
import dev.capsem.cli.project.DiffCommand;
import dev.capsem.cli.record.HistoryCommand;
import dev.capsem.cli.record.LogsCommand;
import dev.capsem.cli.record.StatsCommand;
import dev.capsem.cli.record.VerifyCommand;
import dev.capsem.cli.rules.RulesAddCommand;
import dev.capsem.cli.rules.RulesBacktestCommand;
import dev.capsem.cli.rules.RulesCheckCommand;
import dev.capsem.cli.rules.RulesExplainCommand;
import dev.capsem.cli.rules.RulesListCommand;
import dev.capsem.cli.rules.RulesRemoveCommand;
import dev.capsem.cli.rules.RulesTestCommand;
import dev.capsem.cli.rules.RulesWhyCommand;
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
import dev.capsem.cli.token.GatewayCommand;
import dev.capsem.cli.token.TokenCreateCommand;
import dev.capsem.cli.token.TokenListCommand;
import dev.capsem.cli.token.TokenRevokeCommand;
import dev.capsem.cli.traffic.CostCommand;
import dev.capsem.cli.traffic.ExportCommand;
import dev.capsem.cli.traffic.NetTailCommand;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Every command by name. Only the one that is made is loaded: a trivial command does not pay for the others.
public final class CommandTable {
    /// @param name one word, or two: a family and what it is to do
    /// @param aliases other names
    /// @param summary one line, also the head of its help
    public record Entry(String name, List<String> aliases, Group group, String summary) {
        /// `rules` of `rules list`; empty for a command that belongs to none.
        public Optional<String> family() {
            int blank = name.indexOf(' ');
            return blank < 0 ? Optional.empty() : Optional.of(name.substring(0, blank));
        }

        /// `list` of `rules list`.
        public String lastWord() {
            return name.substring(name.indexOf(' ') + 1);
        }

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
        RULES("What sandboxes may do"),
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
            entry("stop", Group.LIFE, "Stop sandboxes; temporary ones are deleted."),
            entry("suspend", Group.LIFE, "Freeze a persistent sandbox in place."),
            entry("resume", Group.LIFE, "Thaw or start a persistent sandbox."),
            entry("persist", Group.LIFE, "Keep a temporary sandbox under a name."),
            entry("fork", Group.LIFE, "Copy a sandbox into a new one, stopped."),
            new Entry("delete", List.of("rm"), Group.LIFE, "Delete sandboxes, whatever their state."),
            entry("purge", Group.LIFE, "Delete all temporary sandboxes, or all there are."),
            entry("rules list", Group.RULES, "List rules in the order they are asked."),
            entry("rules check", Group.RULES, "Check rule files and point at every mistake."),
            entry("rules test", Group.RULES, "Run the expectations that stand beside rules."),
            entry("rules explain", Group.RULES, "Say how an event of your making would be decided, and why."),
            entry("rules why", Group.RULES, "Say why something was blocked or asked, and what would allow it."),
            entry("rules add", Group.RULES, "Add rules of yours; they are in force at once."),
            entry("rules remove", Group.RULES, "Remove rules of yours."),
            entry("rules backtest", Group.RULES, "Try rules on what happened in a sandbox."),
            entry("profiles list", Group.RULES, "List profiles and which one is used."),
            entry("profiles show", Group.RULES, "Show a profile, as written or with everything that applies."),
            entry("profiles use", Group.RULES, "Use a profile for sandboxes made from now on."),
            entry("profiles validate", Group.RULES, "Check a profile and point at every mistake."),
            entry("profiles fetch", Group.RULES, "Get a company's profile, with its signature checked."),
            entry("profiles sign", Group.RULES, "Sign a company's profile."),
            entry("profiles keygen", Group.RULES, "Make a pair of keys to sign with."),
            entry("profiles diff", Group.RULES, "Compare two profiles entry by entry."),
            entry("approvals", Group.RULES, "Show what waits for your answer."),
            entry("approvals approve", Group.RULES, "Let something pass that waits."),
            entry("approvals deny", Group.RULES, "Block something that waits."),
            entry("secret set", Group.RULES, "Keep a secret, from a prompt or from stdin."),
            entry("secret list", Group.RULES, "List the names of kept secrets."),
            new Entry("secret rm", List.of("secret remove"), Group.RULES, "Forget secrets."),
            entry("mcp list", Group.RULES, "List MCP servers and whose they are."),
            entry("mcp add", Group.RULES, "Add MCP servers from the JSON that they publish."),
            new Entry("mcp remove", List.of("mcp rm"), Group.RULES, "Remove MCP servers of yours."),
            entry("mcp test", Group.RULES, "Connect to MCP servers and count what they offer."),
            entry("mcp tools", Group.RULES, "List the MCP tools of a sandbox."),
            entry("mcp diff", Group.RULES, "Show what is new or changed about MCP tools."),
            entry("mcp approve", Group.RULES, "Agree to MCP tools as they are now."),
            entry("reload", Group.RULES, "Put changed rules and profiles in force now."),
            entry("history", Group.RECORD, "List the commands that ran in a sandbox."),
            entry("logs", Group.RECORD, "Show the logs of a sandbox."),
            entry("timeline", Group.RECORD, "Show what happened in a sandbox, in order."),
            entry("inspect", Group.RECORD, "Query a sandbox's record with SQL."),
            entry("net tail", Group.RECORD, "Watch a sandbox's network traffic live."),
            entry("cost", Group.RECORD, "Show what model calls of a sandbox cost."),
            entry("export", Group.RECORD, "Write the HTTP exchanges of a sandbox to a file."),
            entry("stats", Group.RECORD, "Show totals over all sessions."),
            entry("verify", Group.RECORD, "Check that the record of a sandbox is unbroken."),
            entry("triage", Group.HOST, "Show what went wrong lately, worst first."),
            entry("panics", Group.HOST, "Show crashes of capsem's own programs."),
            entry("status", Group.HOST, "Show the service, what this host can do, and what is wrong."),
            entry("service", Group.HOST, "Start, stop or look at the service."),
            entry("gateway", Group.HOST, "Serve the sandbox-server API on a port of this machine, or stop."),
            entry("token create", Group.HOST, "Make a token for the sandbox-server API."),
            entry("token list", Group.HOST, "List tokens and what they allow."),
            new Entry("token revoke", List.of("token rm"), Group.HOST, "Revoke tokens."),
            entry("ca show", Group.HOST, "Show the certificate authority that sandboxes trust."),
            entry("ca generate", Group.HOST, "Make a certificate authority of your own."),
            entry("mcp install", Group.HOST, "Register capsem-mcp with an agent on this host."),
            entry("demo", Group.HOST, "A tour in one command, offline; ends clean."),
            entry("bench", Group.HOST, "Measure this installation."),
            entry("completions", Group.HOST, "Print a completion script for your shell."),
            entry("version", Group.HOST, "Print the version."));

    /// What commands of two words are about, by their first one.
    public static final Map<String, String> FAMILIES = Map.of(
            "rules", "List, check, test, explain and change rules.",
            "profiles", "Choose, inspect, check and sign profiles.",
            "secret", "Keep credentials for MCP servers.",
            "mcp", "MCP servers that sandboxes may use.",
            "net", "Watch a sandbox's network traffic.",
            "token", "Tokens for the sandbox-server API.",
            "ca", "The certificate authority that sandboxes trust.");

    private CommandTable() {}

    /// @param words how many arguments name it
    public record Found(Entry entry, int words) {}

    public static Optional<Found> find(List<String> arguments) {
        if (arguments.size() > 1) {
            Optional<Entry> member = find(arguments.get(0) + " " + arguments.get(1));
            if (member.isPresent()) {
                return Optional.of(new Found(member.get(), 2));
            }
        }
        return arguments.isEmpty()
                ? Optional.empty()
                : find(arguments.getFirst()).map(entry -> new Found(entry, 1));
    }

    private static Optional<Entry> find(String name) {
        for (Entry entry : ENTRIES) {
            if (entry.isCalled(name)) {
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
            case "rules list" -> new RulesListCommand(context);
            case "rules check" -> new RulesCheckCommand(context);
            case "rules test" -> new RulesTestCommand(context);
            case "rules explain" -> new RulesExplainCommand(context);
            case "rules why" -> new RulesWhyCommand(context);
            case "rules add" -> new RulesAddCommand(context);
            case "rules remove" -> new RulesRemoveCommand(context);
            case "rules backtest" -> new RulesBacktestCommand(context);
            case "profiles list" -> new ProfilesListCommand(context);
            case "profiles show" -> new ProfilesShowCommand(context);
            case "profiles use" -> new ProfilesUseCommand(context);
            case "profiles validate" -> new ProfilesValidateCommand(context);
            case "profiles fetch" -> new ProfilesFetchCommand(context);
            case "profiles sign" -> new ProfilesSignCommand(context);
            case "profiles keygen" -> new ProfilesKeygenCommand(context);
            case "profiles diff" -> new ProfilesDiffCommand(context);
            case "approvals" -> new ApprovalsCommand(context);
            case "approvals approve" -> new ApproveCommand(context);
            case "approvals deny" -> new DenyCommand(context);
            case "secret set" -> new SecretSetCommand(context);
            case "secret list" -> new SecretListCommand(context);
            case "secret rm" -> new SecretRemoveCommand(context);
            case "mcp list" -> new McpListCommand(context);
            case "mcp add" -> new McpAddCommand(context);
            case "mcp remove" -> new McpRemoveCommand(context);
            case "mcp test" -> new McpTestCommand(context);
            case "mcp tools" -> new McpToolsCommand(context);
            case "mcp diff" -> new McpDiffCommand(context);
            case "mcp approve" -> new McpApproveCommand(context);
            case "mcp install" -> new McpInstallCommand(context);
            case "reload" -> new ReloadCommand(context);
            case "history" -> new HistoryCommand(context);
            case "logs" -> new LogsCommand(context);
            case "timeline" -> new TimelineCommand(context);
            case "inspect" -> new InspectCommand(context);
            case "net tail" -> new NetTailCommand(context);
            case "cost" -> new CostCommand(context);
            case "export" -> new ExportCommand(context);
            case "stats" -> new StatsCommand(context);
            case "verify" -> new VerifyCommand(context);
            case "triage" -> new TriageCommand(context);
            case "panics" -> new PanicsCommand(context);
            case "status" -> new StatusCommand(context);
            case "service" -> new ServiceCommand(context);
            case "gateway" -> new GatewayCommand(context);
            case "token create" -> new TokenCreateCommand(context);
            case "token list" -> new TokenListCommand(context);
            case "token revoke" -> new TokenRevokeCommand(context);
            case "ca show" -> new CaShowCommand(context);
            case "ca generate" -> new CaGenerateCommand(context);
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
