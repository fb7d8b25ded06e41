package dev.capsem.hostmcp.tools;

import dev.capsem.client.SandboxService;
import dev.capsem.client.io.ServiceCallException;
import dev.capsem.toolserver.Argument;
import dev.capsem.toolserver.ArgumentSchema;
import dev.capsem.toolserver.McpTool;
import dev.capsem.toolserver.McpTool.Hints;
import dev.capsem.toolserver.OutputSchema;
import dev.capsem.toolserver.ToolServer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// All tools of capsem-mcp, in the order in which they are listed.
public final class HostTools {
    static final Argument ID = Argument.required(
            "id",
            Argument.Text.of(1, 64),
            "The sandbox: the id that capsem_create gave, or the name of a persistent one; capsem_list shows all.");

    private static final String INSTRUCTIONS = """
            Sealed Linux sandboxes on this host. Make one with capsem_create, run commands with capsem_exec, move files \
            with capsem_write_file and capsem_read_file, end it with capsem_delete. For a single command capsem_run is \
            enough. A sandbox has no network of its own: every request goes through a guarded proxy whose rules may \
            block it. When something fails or is blocked, capsem_triage and capsem_timeline say why; capsem_inspect \
            answers anything else by SQL. A sandbox with a name is persistent: it can be stopped, suspended, resumed \
            and forked.""";

    private HostTools() {}

    public static ToolServer server(SandboxService host, String version) {
        return new ToolServer(
                new ToolServer.Identity("capsem-mcp", "Capsem sandboxes", version, INSTRUCTIONS),
                tools(host, version),
                Replies::failed,
                Optional.empty(),
                List.of());
    }

    static List<McpTool> tools(SandboxService host, String version) {
        var life = new LifeTools(host);
        var commands = new CommandTools(host);
        var files = new SandboxFileTools(host);
        var records = new RecordTools(host, version);
        var connectors = new ConnectorTools(host);
        List<McpTool> tools = new ArrayList<>();
        tools.addAll(life.before());
        tools.addAll(commands.tools());
        tools.addAll(files.tools());
        tools.addAll(life.after());
        tools.addAll(records.tools());
        tools.addAll(connectors.tools());
        return List.copyOf(tools);
    }

    /// A tool whose work is done by the service: its refusals are the tool's.
    static McpTool tool(
            String name,
            String title,
            String description,
            Hints hints,
            ArgumentSchema input,
            OutputSchema output,
            McpTool.Work work) {
        return new McpTool(name, title, description, hints, input, Optional.of(output.toJson()), call -> {
            try {
                return work.run(call);
            } catch (ServiceCallException e) {
                throw Replies.refused(e);
            }
        });
    }
}
