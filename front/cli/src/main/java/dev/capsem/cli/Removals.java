package dev.capsem.cli;

import dev.capsem.cli.screen.Printable;
import dev.capsem.client.io.ServiceClient;
import dev.capsem.wire.json.Json;
import java.util.List;
import tools.jackson.databind.node.ArrayNode;

/// Removes things by name, one after the other.
public final class Removals {
    private Removals() {}

    /// @param route with the slash before the name
    /// @param done what became of each, such as `removed`
    public static int run(CliContext context, OutputOptions output, String route, List<String> names, String done) {
        ArrayNode replies = Json.array();
        for (String name : names) {
            replies.add(context.service().remove(route + ServiceClient.encode(name)));
            if (!output.isJson() && !output.isQuiet()) {
                context.screen().print(done + " " + Printable.line(name));
            }
        }
        if (output.isJson()) {
            output.print(context.screen(), replies.size() == 1 ? replies.get(0) : replies);
        }
        return ExitCode.DONE;
    }
}
