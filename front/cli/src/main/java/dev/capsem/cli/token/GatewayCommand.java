package dev.capsem.cli.token;

import dev.capsem.cli.command.CliContext;
import dev.capsem.cli.command.ExitCode;
import dev.capsem.cli.command.PrintingCommand;
import dev.capsem.cli.screen.Printable;
import dev.capsem.cli.screen.Screen;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonMembers;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// `capsem gateway`
@Command(
        footer = {
            "",
            "The gateway serves the sandbox-server API on a port of this machine, for clients with a token;",
            "see `capsem token create`. It stays on or off until you say otherwise. Its port is in",
            "run/gateway.port. With --standalone every program of this machine may use it without a token.",
            "",
            "Examples:",
            "  capsem gateway on",
            "  capsem gateway on --port 8080",
            "  capsem gateway off"
        })
public final class GatewayCommand extends PrintingCommand {
    enum Action {
        on,
        off,
        status
    }

    @Parameters(index = "0", paramLabel = "on|off|status", description = "What to do.")
    Action action = Action.status;

    @Option(names = "--port", paramLabel = "N", description = "The port (default: 19222); 0 takes a free one.")
    @Nullable
    Integer port;

    @Option(names = "--address", paramLabel = "IP", description = "The loopback address (default: 127.0.0.1).")
    @Nullable
    String address;

    @Option(names = "--standalone", description = "Require no token.")
    boolean standalone;

    @Option(
            names = "--allow-host",
            paramLabel = "NAME",
            description = "A further name that clients may call it by; repeatable.")
    List<String> hosts = new ArrayList<>();

    public GatewayCommand(CliContext context) {
        super(context);
    }

    @Override
    public int run() {
        JsonNode reply = switch (action) {
            case on -> context.service().post("/gateway", wished());
            case off -> context.service().post("/gateway", Json.object().put("enabled", false));
            case status -> context.service().get("/gateway");
        };
        if (output.isJson()) {
            output.print(context.screen(), reply);
        } else {
            print(JsonMembers.of(reply, ""));
        }
        return ExitCode.DONE;
    }

    /// Without --standalone it asks for tokens, whatever it did before: leaving it open must be said each time.
    private ObjectNode wished() {
        ObjectNode body = Json.object().put("enabled", true).put("standalone", standalone);
        Optional.ofNullable(port).ifPresent(value -> body.put("port", value));
        Optional.ofNullable(address).ifPresent(value -> body.put("address", value));
        if (!hosts.isEmpty()) {
            ArrayNode names = body.putArray("hosts");
            hosts.forEach(names::add);
        }
        return body;
    }

    private void print(JsonMembers gateway) {
        Screen screen = context.screen();
        Optional<String> url = gateway.optionalText("url");
        if (url.isPresent()) {
            screen.print("the gateway serves at " + Printable.line(url.get())
                    + (gateway.flag("standalone", false) ? ", without tokens" : ", with tokens"));
        } else {
            screen.print("the gateway is off");
        }
        gateway.optionalText("problem")
                .ifPresent(problem -> screen.remark(screen.errInk().yellow("! ") + Printable.line(problem)));
    }
}
