package dev.capsem.cli.secret;

import dev.capsem.cli.command.CliContext;
import dev.capsem.cli.command.CliProblem;
import dev.capsem.cli.command.ExitCode;
import dev.capsem.cli.command.PrintingCommand;
import dev.capsem.cli.screen.Printable;
import dev.capsem.cli.screen.Progress;
import dev.capsem.cli.screen.Screen;
import dev.capsem.client.io.RequestTarget;
import dev.capsem.wire.json.Json;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// `capsem secret test`
@Command(
        footer = {
            "",
            "Says whether the credential can be had, and with a URL whether it would go out with such a",
            "request. Nothing is sent to that host; the value is fetched once, forgotten and not shown. Exit",
            "code 1 if something is in the way.",
            "",
            "Examples:",
            "  capsem secret test anthropic",
            "  capsem secret test anthropic https://api.anthropic.com/v1/messages --method POST"
        })
public final class SecretTestCommand extends PrintingCommand {
    @Parameters(index = "0", paramLabel = "NAME", description = "Name of the grant.")
    String name = "";

    @Parameters(index = "1", arity = "0..1", paramLabel = "URL", description = "Where the request would go.")
    Optional<String> url = Optional.empty();

    @Option(names = "--method", paramLabel = "METHOD", description = "Of the request (default: GET).")
    String method = "GET";

    @Option(names = "--place", paramLabel = "PLACE", description = "Where in the request the stand-in would be.")
    Optional<String> place = Optional.empty();

    @Option(names = "--profile", paramLabel = "ID", description = "The profile it is in (default: the one in use).")
    Optional<String> profile = Optional.empty();

    public SecretTestCommand(CliContext context) {
        super(context);
    }

    @Override
    protected boolean takeWords(List<String> words) {
        return one(words, word -> name = word);
    }

    @Override
    public int run() {
        ObjectNode trial = Json.object();
        url.map(SecretTestCommand::uri).ifPresent(uri -> {
            trial.put("host", uri.getHost().toLowerCase(Locale.ROOT));
            trial.put("path", uri.getRawPath().isEmpty() ? "/" : uri.getRawPath());
            trial.put("method", method.toUpperCase(Locale.ROOT));
            place.ifPresent(value -> trial.put("place", value));
        });
        String target = new RequestTarget("grants", name, "test")
                .with("profile", profile)
                .toString();
        JsonNode reply = Progress.during(
                context.screen(), "asking", () -> context.service().post(target, trial));
        if (output.isJson()) {
            output.print(context.screen(), reply);
        } else {
            print(reply);
        }
        return reply.path("ok").asBoolean(false) ? ExitCode.DONE : ExitCode.NO;
    }

    private static URI uri(String text) {
        try {
            URI uri = new URI(text);
            if (uri.getHost() != null) {
                return uri;
            }
        } catch (URISyntaxException malformed) {
            // Said below, like any other text that is no URL.
        }
        throw CliProblem.usage("\"" + Printable.line(text) + "\" is no URL", "write https://host/path");
    }

    private void print(JsonNode reply) {
        boolean isFound = reply.path("value").asString("").equals("found");
        String expires = reply.path("expires").asString("");
        line(
                isFound,
                "value",
                isFound
                        ? "found in " + reply.path("source").asString("")
                                + (expires.isEmpty() ? "" : ", until " + expires)
                        : reply.path("reason").asString(""));
        if (reply.has("covers_host")) {
            line(reply.path("covers_host").asBoolean(), "host", "this grant is for that host", "it is for other hosts");
            line(
                    reply.path("covers_request").asBoolean(),
                    "request",
                    "its method and path are covered",
                    "its method or path is not covered");
            line(reply.path("covers_place").asBoolean(), "place", "it may stand there", "it may not stand there");
        }
    }

    private void line(boolean isGood, String what, String yes, String no) {
        line(isGood, what, isGood ? yes : no);
    }

    private void line(boolean isGood, String what, String text) {
        Screen screen = context.screen();
        String mark = isGood ? screen.outInk().green("✓") : screen.outInk().red("✗");
        screen.print(mark + " " + what + ": " + Printable.line(text));
    }
}
