package dev.capsem.cli.command;

import dev.capsem.cli.screen.Printable;
import dev.capsem.client.io.ServiceClient;
import dev.capsem.wire.json.Json;
import java.util.List;
import java.util.function.Function;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;

/// Removes or stops things by name, one after the other, and reports each one.
public record RemoveMany(CliContext context, OutputOptions output) {
    /// @param json the service's reply
    /// @param line what a person reads
    public record Removed(JsonNode json, String line) {}

    /// @param route with the slash before the name
    /// @param done what became of each, such as `removed`
    public int at(String route, List<String> names, String done) {
        return each(names, name -> {
            JsonNode reply = context.service().remove(route + ServiceClient.encode(name));
            return new Removed(reply, done + " " + Printable.line(name));
        });
    }

    /// The JSON is one reply, or the list of them.
    public int each(List<String> names, Function<String, Removed> remove) {
        return each(names, remove, replies -> replies.size() == 1 ? replies.get(0) : replies);
    }

    /// @param json the document that holds all replies
    public int each(List<String> names, Function<String, Removed> remove, Function<ArrayNode, JsonNode> json) {
        ArrayNode replies = Json.array();
        for (String name : names) {
            Removed removed = remove.apply(name);
            replies.add(removed.json());
            if (!output.isJson() && !output.isQuiet()) {
                context.screen().print(removed.line());
            }
        }
        if (output.isJson()) {
            output.print(context.screen(), json.apply(replies));
        }
        return ExitCode.DONE;
    }
}
