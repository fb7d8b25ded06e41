package dev.capsem.cli.token;

import dev.capsem.cli.CapsemCommand;
import dev.capsem.cli.CliContext;
import dev.capsem.cli.ExitCode;
import dev.capsem.cli.OutputOptions;
import dev.capsem.cli.screen.Printable;
import dev.capsem.client.io.ServiceClient;
import dev.capsem.wire.json.Json;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.node.ArrayNode;

/// `capsem token revoke`
@Command(footer = {"", "Examples:", "  capsem token revoke 390ad1d7", "  capsem token revoke dashboard"})
public final class TokenRevokeCommand implements CapsemCommand {
    @Mixin
    OutputOptions output = new OutputOptions();

    @Parameters(arity = "1..*", paramLabel = "ID", description = "Ids of tokens, or names: then all of that name.")
    List<String> ids = new ArrayList<>();

    private final CliContext context;

    public TokenRevokeCommand(CliContext context) {
        this.context = context;
    }

    @Override
    public boolean takePlain(OutputOptions given, List<String> words) {
        output = given;
        ids = words;
        return !words.isEmpty();
    }

    @Override
    public int run() {
        ArrayNode replies = Json.array();
        for (String id : ids) {
            replies.add(context.service().remove("/tokens/" + ServiceClient.encode(id)));
            if (!output.isJson() && !output.isQuiet()) {
                context.screen().print("revoked " + Printable.line(id));
            }
        }
        if (output.isJson()) {
            output.print(context.screen(), replies.size() == 1 ? replies.get(0) : replies);
        }
        return ExitCode.DONE;
    }
}
