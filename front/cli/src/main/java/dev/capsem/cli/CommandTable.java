package dev.capsem.cli;

import static dev.capsem.cli.command.CommandEntry.Group.HOST;
import static dev.capsem.cli.command.CommandEntry.Group.LIFE;
import static dev.capsem.cli.command.CommandEntry.Group.PROJECT;
import static dev.capsem.cli.command.CommandEntry.Group.RECORD;
import static dev.capsem.cli.command.CommandEntry.Group.RULES;
import static dev.capsem.cli.command.CommandEntry.Group.USE;

import dev.capsem.cli.agent.AgentAddCommand;
import dev.capsem.cli.agent.AgentCommand;
import dev.capsem.cli.agent.AgentListCommand;
import dev.capsem.cli.agent.AgentShowCommand;
import dev.capsem.cli.agent.AgentTestCommand;
import dev.capsem.cli.approvals.ApprovalsCommand;
import dev.capsem.cli.approvals.ApproveCommand;
import dev.capsem.cli.approvals.DenyCommand;
import dev.capsem.cli.authority.CaGenerateCommand;
import dev.capsem.cli.authority.CaShowCommand;
import dev.capsem.cli.budget.BudgetListCommand;
import dev.capsem.cli.budget.BudgetRaiseCommand;
import dev.capsem.cli.budget.BudgetResetCommand;
import dev.capsem.cli.budget.BudgetSetCommand;
import dev.capsem.cli.command.CapsemCommand;
import dev.capsem.cli.command.CliContext;
import dev.capsem.cli.command.CommandEntry;
import dev.capsem.cli.command.CommandEntry.Group;
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
import dev.capsem.cli.host.UiCommand;
import dev.capsem.cli.host.VersionCommand;
import dev.capsem.cli.install.McpInstallCommand;
import dev.capsem.cli.mcp.McpAddCommand;
import dev.capsem.cli.mcp.McpApproveCommand;
import dev.capsem.cli.mcp.McpDiffCommand;
import dev.capsem.cli.mcp.McpListCommand;
import dev.capsem.cli.mcp.McpRemoveCommand;
import dev.capsem.cli.mcp.McpTestCommand;
import dev.capsem.cli.mcp.McpToolsCommand;
import dev.capsem.cli.profile.ProfilesDiffCommand;
import dev.capsem.cli.profile.ProfilesFetchCommand;
import dev.capsem.cli.profile.ProfilesKeygenCommand;
import dev.capsem.cli.profile.ProfilesListCommand;
import dev.capsem.cli.profile.ProfilesShowCommand;
import dev.capsem.cli.profile.ProfilesSignCommand;
import dev.capsem.cli.profile.ProfilesUseCommand;
import dev.capsem.cli.profile.ProfilesValidateCommand;
import dev.capsem.cli.project.ApplyCommand;
import dev.capsem.cli.project.DiffCommand;
import dev.capsem.cli.record.HistoryCommand;
import dev.capsem.cli.record.LogsCommand;
import dev.capsem.cli.record.StatsCommand;
import dev.capsem.cli.record.VerifyCommand;
import dev.capsem.cli.rules.AllowCommand;
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
import dev.capsem.cli.secret.SecretGrantCommand;
import dev.capsem.cli.secret.SecretKeyCommand;
import dev.capsem.cli.secret.SecretListCommand;
import dev.capsem.cli.secret.SecretRemoveCommand;
import dev.capsem.cli.secret.SecretRevokeCommand;
import dev.capsem.cli.secret.SecretSetCommand;
import dev.capsem.cli.secret.SecretTestCommand;
import dev.capsem.cli.secret.SecretWhyCommand;
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
import java.util.function.Function;

/// Every command, one line each.
public final class CommandTable {
    public static final List<CommandEntry> ENTRIES = List.of(
            entry("claude", USE, "Let Claude Code work on this project, in a sandbox.", agent("claude")),
            entry("codex", USE, "Let Codex work on this project, in a sandbox.", agent("codex")),
            entry("gemini", USE, "Let Gemini CLI work on this project, in a sandbox.", agent("gemini")),
            entry("opencode", USE, "Let opencode work on this project, in a sandbox.", agent("opencode")),
            entry("agent", USE, "Let any agent with a recipe work on this project.", AgentCommand::new),
            entry("agent list", USE, "List agents and where they are installed.", AgentListCommand::new),
            entry("agent show", USE, "Show the recipe of an agent.", AgentShowCommand::new),
            entry("agent add", USE, "Add a recipe of yours.", AgentAddCommand::new),
            entry("agent test", USE, "Test whether an agent could be run.", AgentTestCommand::new),
            entry("run", USE, "Run one command in a fresh sandbox; its exit code is yours.", RunCommand::new),
            entry("shell", USE, "Open a terminal in a sandbox, a fresh one unless you name it.", ShellCommand::new),
            entry("exec", USE, "Run a command in a sandbox.", ExecCommand::new),
            entry("cp", USE, "Copy a file into a sandbox or out of it.", CopyCommand::new),
            entry("diff", PROJECT, "Show what changed in the sandbox's copy of your project.", DiffCommand::new),
            entry("apply", PROJECT, "Apply a sandbox's changes to your project.", ApplyCommand::new),
            entry("create", LIFE, "Create a sandbox and leave it running.", CreateCommand::new),
            entry("list", "ls", LIFE, "List sandboxes.", ListCommand::new),
            entry("info", LIFE, "Show everything about one sandbox.", InfoCommand::new),
            entry("stop", LIFE, "Stop sandboxes; temporary ones are deleted.", StopCommand::new),
            entry("suspend", LIFE, "Suspend a persistent sandbox: freeze its programs.", SuspendCommand::new),
            entry("resume", LIFE, "Resume a suspended sandbox or start a stopped one.", ResumeCommand::new),
            entry("persist", LIFE, "Persist a temporary sandbox under a name.", PersistCommand::new),
            entry("fork", LIFE, "Fork a sandbox into a new one, stopped.", ForkCommand::new),
            entry("delete", "rm", LIFE, "Delete sandboxes, whatever their state.", DeleteCommand::new),
            entry("purge", LIFE, "Purge all temporary sandboxes, or all sandboxes.", PurgeCommand::new),
            entry("allow", RULES, "Allow hosts, in force at once.", AllowCommand::new),
            entry("rules list", RULES, "List rules in the order they are evaluated.", RulesListCommand::new),
            entry("rules check", RULES, "Check rule files and point at every mistake.", RulesCheckCommand::new),
            entry("rules test", RULES, "Test rules against the expectations beside them.", RulesTestCommand::new),
            entry("rules explain", RULES, "Explain how a made-up event would be decided.", RulesExplainCommand::new),
            entry("rules why", RULES, "Explain why something was blocked or asked.", RulesWhyCommand::new),
            entry("rules add", RULES, "Add rules of yours; they are in force at once.", RulesAddCommand::new),
            entry("rules remove", RULES, "Remove rules of yours.", RulesRemoveCommand::new),
            entry("rules backtest", RULES, "Try rules on what happened in a sandbox.", RulesBacktestCommand::new),
            entry("profiles list", RULES, "List profiles and which one is used.", ProfilesListCommand::new),
            entry("profiles show", RULES, "Show a profile as written or as it applies.", ProfilesShowCommand::new),
            entry("profiles use", RULES, "Use a profile for new sandboxes.", ProfilesUseCommand::new),
            entry("profiles validate", RULES, "Validate a profile; list every mistake.", ProfilesValidateCommand::new),
            entry("profiles fetch", RULES, "Fetch a company's profile and verify it.", ProfilesFetchCommand::new),
            entry("profiles sign", RULES, "Sign a company's profile.", ProfilesSignCommand::new),
            entry("profiles keygen", RULES, "Generate a key pair to sign with.", ProfilesKeygenCommand::new),
            entry("profiles diff", RULES, "Compare two profiles entry by entry.", ProfilesDiffCommand::new),
            entry("approvals", RULES, "Show requests that wait for your answer.", ApprovalsCommand::new),
            entry("approvals approve", RULES, "Approve a waiting request.", ApproveCommand::new),
            entry("approvals deny", RULES, "Deny a waiting request.", DenyCommand::new),
            entry("budget list", RULES, "List budgets and what is left of them.", BudgetListCommand::new),
            entry("budget set", RULES, "Set a limit on what sandboxes may spend.", BudgetSetCommand::new),
            entry("budget raise", RULES, "Raise a budget for the window that runs.", BudgetRaiseCommand::new),
            entry("budget reset", RULES, "Reset what was spent of a budget.", BudgetResetCommand::new),
            entry("secret set", RULES, "Set a secret, from a prompt or from stdin.", SecretSetCommand::new),
            entry("secret list", RULES, "List secrets and the grants that send them.", SecretListCommand::new),
            entry("secret rm", "secret remove", RULES, "Remove secrets.", SecretRemoveCommand::new),
            entry("secret grant", RULES, "Let a credential go to some hosts from outside.", SecretGrantCommand::new),
            entry("secret revoke", RULES, "Revoke a grant; it holds no longer at once.", SecretRevokeCommand::new),
            entry("secret why", RULES, "Show where credentials went, and what was refused.", SecretWhyCommand::new),
            entry("secret test", RULES, "Test a grant without sending anything.", SecretTestCommand::new),
            entry("secret key", RULES, "Keep the key of your secrets in a file or a keyring.", SecretKeyCommand::new),
            entry("mcp list", RULES, "List MCP servers and where they come from.", McpListCommand::new),
            entry("mcp add", RULES, "Add MCP servers from the JSON that they publish.", McpAddCommand::new),
            entry("mcp remove", "mcp rm", RULES, "Remove MCP servers of yours.", McpRemoveCommand::new),
            entry("mcp test", RULES, "Test MCP servers: connect and count what they offer.", McpTestCommand::new),
            entry("mcp tools", RULES, "List the MCP tools of a sandbox.", McpToolsCommand::new),
            entry("mcp diff", RULES, "Show new and changed MCP tools.", McpDiffCommand::new),
            entry("mcp approve", RULES, "Approve MCP tools as they are now.", McpApproveCommand::new),
            entry("reload", RULES, "Reload changed rules and profiles now.", ReloadCommand::new),
            entry("history", RECORD, "List the commands that ran in a sandbox.", HistoryCommand::new),
            entry("logs", RECORD, "Show the logs of a sandbox.", LogsCommand::new),
            entry("timeline", RECORD, "Show what happened in a sandbox, in order.", TimelineCommand::new),
            entry("inspect", RECORD, "Query a sandbox's record with SQL.", InspectCommand::new),
            entry("net tail", RECORD, "Watch a sandbox's network traffic live.", NetTailCommand::new),
            entry("cost", RECORD, "Show what model calls of a sandbox cost.", CostCommand::new),
            entry("export", RECORD, "Export the HTTP exchanges of a sandbox to a file.", ExportCommand::new),
            entry("stats", RECORD, "Show totals over all sandboxes.", StatsCommand::new),
            entry("verify", RECORD, "Verify that a sandbox's record is unbroken.", VerifyCommand::new),
            entry("triage", HOST, "Show what went wrong lately, worst first.", TriageCommand::new),
            entry("panics", HOST, "Show crashes of capsem's own programs.", PanicsCommand::new),
            entry("status", HOST, "Show the service, what this host can do, and what is wrong.", StatusCommand::new),
            entry("service", HOST, "Start, stop or show the service.", ServiceCommand::new),
            entry("ui", HOST, "Show the dashboard in a browser.", UiCommand::new),
            entry("gateway", HOST, "Serve the sandbox-server API on a local port, or stop.", GatewayCommand::new),
            entry("token create", HOST, "Create a token for the sandbox-server API.", TokenCreateCommand::new),
            entry("token list", HOST, "List tokens and what they allow.", TokenListCommand::new),
            entry("token revoke", "token rm", HOST, "Revoke tokens.", TokenRevokeCommand::new),
            entry("ca show", HOST, "Show the certificate authority that sandboxes trust.", CaShowCommand::new),
            entry("ca generate", HOST, "Generate a certificate authority of your own.", CaGenerateCommand::new),
            entry("mcp install", HOST, "Register capsem-mcp with an agent on this host.", McpInstallCommand::new),
            entry("demo", HOST, "Run an offline tour that cleans up after itself.", DemoCommand::new),
            entry("bench", HOST, "Measure this installation.", BenchCommand::new),
            entry("completions", HOST, "Print a completion script for your shell.", CommandTable::completions),
            entry("version", HOST, "Print the version.", VersionCommand::new));

    /// The families of commands of two words, by their first word.
    public static final Map<String, String> FAMILIES = Map.of(
            "rules", "List, check, test, explain and change rules.",
            "profiles", "Choose, inspect, check and sign profiles.",
            "secret", "Manage credentials, and where they may go.",
            "mcp", "Manage MCP servers that sandboxes may use.",
            "net", "Watch a sandbox's network traffic.",
            "token", "Manage tokens for the sandbox-server API.",
            "ca", "Show or generate the certificate authority that sandboxes trust.");

    private CommandTable() {}

    /// @param words how many arguments name it
    public record Found(CommandEntry entry, int words) {}

    public static Optional<Found> find(List<String> arguments) {
        if (arguments.size() > 1) {
            Optional<CommandEntry> member = find(arguments.get(0) + " " + arguments.get(1));
            if (member.isPresent()) {
                return Optional.of(new Found(member.get(), 2));
            }
        }
        return arguments.isEmpty()
                ? Optional.empty()
                : find(arguments.getFirst()).map(entry -> new Found(entry, 1));
    }

    private static Optional<CommandEntry> find(String name) {
        for (CommandEntry entry : ENTRIES) {
            if (entry.isCalled(name)) {
                return Optional.of(entry);
            }
        }
        return Optional.empty();
    }

    private static CapsemCommand completions(CliContext context) {
        return new CompletionsCommand(context, ENTRIES);
    }

    private static Function<CliContext, CapsemCommand> agent(String name) {
        return context -> new AgentCommand(context, Optional.of(name));
    }

    private static CommandEntry entry(
            String name, Group group, String summary, Function<CliContext, CapsemCommand> make) {
        return new CommandEntry(name, List.of(), group, summary, make);
    }

    private static CommandEntry entry(
            String name, String alias, Group group, String summary, Function<CliContext, CapsemCommand> make) {
        return new CommandEntry(name, List.of(alias), group, summary, make);
    }
}
