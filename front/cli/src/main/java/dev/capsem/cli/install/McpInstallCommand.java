package dev.capsem.cli.install;

import dev.capsem.cli.command.CliContext;
import dev.capsem.cli.command.CliProblem;
import dev.capsem.cli.command.ExitCode;
import dev.capsem.cli.command.PrintingCommand;
import dev.capsem.wire.json.Json;
import java.nio.file.Path;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.node.ObjectNode;

/// `capsem mcp install`
@Command(
        footer = {
            "",
            "Clients: claude, gemini, codex, opencode, vscode, cursor. The file before the change is kept",
            "beside it; doing it again changes nothing. Start the client anew to see the tools.",
            "",
            "Examples:",
            "  capsem mcp install claude",
            "  capsem mcp install codex --print"
        })
public final class McpInstallCommand extends PrintingCommand {
    private static final DateTimeFormatter STAMP =
            DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss").withZone(ZoneOffset.UTC);

    @Option(names = "--print", description = "Print the entry and where it belongs; change nothing.")
    boolean isPrinted;

    @Option(names = "--name", paramLabel = "NAME", description = "The server's name in the client (default: capsem).")
    String name = "capsem";

    @Parameters(index = "0", paramLabel = "CLIENT", description = "The client to register capsem-mcp with.")
    String client = "";

    public McpInstallCommand(CliContext context) {
        super(context);
    }

    @Override
    public int run() {
        McpClient chosen = McpClient.named(client)
                .orElseThrow(() -> CliProblem.usage(
                        "there is no such client", "one of claude, gemini, codex, opencode, vscode, cursor"));
        if (!name.matches("[A-Za-z0-9_-]{1,64}")) {
            throw CliProblem.usage("the name has other characters than letters, digits, - and _", "choose another");
        }
        Path file = chosen.file(context.environment(), home());
        var server = new Registration(name, program(), variables());
        if (isPrinted) {
            printed(chosen, file, server);
            return ExitCode.DONE;
        }
        var config = new ConfigFile(file);
        String before = config.text();
        String after = chosen.with(server, before);
        boolean isChanged = !after.equals(before);
        Optional<Path> backup =
                isChanged ? config.replace(after, STAMP.format(context.clock().instant())) : Optional.empty();
        said(file, isChanged, backup);
        return ExitCode.DONE;
    }

    private void printed(McpClient chosen, Path file, Registration server) {
        if (output.isJson()) {
            ObjectNode json = Json.object().put("client", chosen.word()).put("file", file.toString());
            output.print(context.screen(), json.put("text", chosen.alone(server)));
            return;
        }
        if (!output.isQuiet()) {
            context.screen().remark("belongs into " + file);
        }
        context.screen().print(chosen.alone(server).stripTrailing());
    }

    private void said(Path file, boolean isChanged, Optional<Path> backup) {
        if (output.isJson()) {
            ObjectNode json = Json.object().put("file", file.toString()).put("changed", isChanged);
            backup.ifPresent(path -> json.put("backup", path.toString()));
            output.print(context.screen(), json);
        } else if (!output.isQuiet()) {
            context.screen().print(isChanged ? "registered in " + file : "already registered in " + file);
            backup.ifPresent(path -> context.screen().remark("the file before is " + path));
        }
    }

    private Path home() {
        return Optional.ofNullable(context.environment().get("HOME"))
                .filter(value -> !value.isEmpty())
                .map(Path::of)
                .orElseThrow(() -> CliProblem.of("no_home", "HOME is not set", "set it to your home directory"));
    }

    private String program() {
        return context.dist().resolve("bin").resolve("capsem-mcp").toString();
    }

    /// The client's own environment may lack them.
    private Map<String, String> variables() {
        Map<String, String> variables = new TreeMap<>();
        for (String variable : new String[] {"CAPSEM_HOME", "CAPSEM_RUN_DIR", "CAPSEM_UDS_PATH"}) {
            Optional.ofNullable(context.environment().get(variable))
                    .filter(value -> !value.isEmpty())
                    .ifPresent(value -> variables.put(variable, value));
        }
        return variables;
    }
}
