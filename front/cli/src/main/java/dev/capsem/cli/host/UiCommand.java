package dev.capsem.cli.host;

import dev.capsem.cli.command.CliContext;
import dev.capsem.cli.command.ExitCode;
import dev.capsem.cli.command.PrintingCommand;
import dev.capsem.cli.launch.WebBrowser;
import dev.capsem.cli.screen.Printable;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonMembers;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// `capsem ui`
@Command(
        footer = {
            "",
            "The dashboard shows questions, sandboxes, what happened in them, their changes and their cost, in a",
            "browser on this machine. The link logs one browser in, once, within five minutes; the browser stays",
            "logged in for 30 days. The dashboard stays on, at the same address, until --off.",
            "",
            "Examples:",
            "  capsem ui",
            "  capsem ui --no-open",
            "  capsem ui --sign-out",
            "  capsem ui --off"
        })
public final class UiCommand extends PrintingCommand {
    @Option(names = "--no-open", description = "Print the link, start no browser.")
    boolean noOpen;

    @Option(names = "--port", paramLabel = "N", description = "The port (default: a free one, kept from then on).")
    @Nullable
    Integer port;

    @Option(names = "--sign-out", description = "Sign out all browsers that are logged in.")
    boolean signOut;

    @Option(names = "--off", description = "Serve it no longer.")
    boolean off;

    public UiCommand(CliContext context) {
        super(context);
    }

    @Override
    protected boolean takeWords(List<String> words) {
        return words.isEmpty();
    }

    @Override
    public int run() {
        if (off) {
            JsonNode reply = context.service().remove("/ui");
            if (output.isJson()) {
                output.print(context.screen(), reply);
            } else {
                context.screen().print("the dashboard is off");
            }
            return ExitCode.DONE;
        }
        ObjectNode body = Json.object().put("sign_out", signOut);
        Optional.ofNullable(port).ifPresent(value -> body.put("port", value));
        JsonNode reply = context.service().post("/ui", body);
        if (output.isJson()) {
            output.print(context.screen(), reply);
            return ExitCode.DONE;
        }
        String link = JsonMembers.of(reply, "").text("link");
        boolean isOpened = !noOpen && new WebBrowser(context.environment()).open(link);
        context.screen().print(Printable.line(link));
        context.screen()
                .remark(
                        isOpened
                                ? "your browser opens it; the link is good once, for five minutes"
                                : "open it in a browser on this machine; it is good once, for five minutes");
        return ExitCode.DONE;
    }
}
