package dev.capsem.cli.token;

import dev.capsem.cli.command.CliContext;
import dev.capsem.cli.command.ExitCode;
import dev.capsem.cli.command.PrintingCommand;
import dev.capsem.cli.screen.Printable;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonMembers;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// `capsem token create`
@Command(
        footer = {
            "",
            "Scopes: read (see, and read files), execute (run commands, change files), lifecycle (create,",
            "fork, pause, end), admin (everything, tokens too). The token is shown once; only a hash of it",
            "is kept.",
            "",
            "A token is for the profile that is chosen, unless you name others, and for all sandboxes of its",
            "profiles, unless you name some. With the scope admin it is for all of them.",
            "",
            "Examples:",
            "  capsem token create --scope read,execute,lifecycle --login",
            "  capsem token create --scope read --ttl 12h --name dashboard",
            "  capsem token create --scope read,execute --profile coding --sandbox box-1"
        })
public final class TokenCreateCommand extends PrintingCommand {
    @Option(
            names = "--scope",
            required = true,
            split = ",",
            paramLabel = "SCOPE",
            description = "Its scopes: read, execute, lifecycle, admin.")
    List<String> scopes = new ArrayList<>();

    @Option(
            names = "--profile",
            split = ",",
            paramLabel = "PROFILE",
            description = "Which profiles it is for (default: the chosen one).")
    List<String> profiles = new ArrayList<>();

    @Option(
            names = "--sandbox",
            split = ",",
            paramLabel = "SANDBOX",
            description = "Which sandboxes it is for (default: all of its profiles).")
    List<String> sandboxes = new ArrayList<>();

    @Option(names = "--ttl", paramLabel = "TIME", description = "How long it lasts: 12h, 30d (default), never.")
    @Nullable
    String life;

    @Option(names = "--name", paramLabel = "NAME", description = "A name to show in lists.")
    @Nullable
    String name;

    @Option(names = "--login", description = "Write it to the credential file instead of showing it.")
    boolean login;

    public TokenCreateCommand(CliContext context) {
        super(context);
    }

    @Override
    public int run() {
        ObjectNode body = Json.object();
        ArrayNode names = body.putArray("scopes");
        scopes.forEach(names::add);
        put(body, "profiles", profiles);
        put(body, "sandboxes", sandboxes);
        Optional.ofNullable(name).ifPresent(value -> body.put("name", value));
        Optional.ofNullable(life)
                .ifPresent(text -> body.put("ttl_seconds", TokenLife.parse(text).seconds()));
        Optional<CredentialFile> file =
                login ? Optional.of(CredentialFile.of(context.environment())) : Optional.empty();
        ObjectNode reply = (ObjectNode) context.service().post("/tokens", body);
        JsonMembers token = JsonMembers.of(reply, "");
        String secret = token.text("token");
        if (file.isPresent()) {
            file.get().write(secret);
            reply.remove("token");
            reply.put("file", file.get().path().toString());
        }
        if (output.isJson()) {
            output.print(context.screen(), reply);
            return ExitCode.DONE;
        }
        if (!output.isQuiet()) {
            context.screen()
                    .remark("token " + Printable.line(token.text("id")) + ", "
                            + String.join(", ", token.texts("scopes"))
                            + token.optionalText("expires_at")
                                    .map(end -> ", until " + end)
                                    .orElse(", until it is revoked"));
        }
        context.screen()
                .print(file.map(written -> "written to " + written.path()).orElse(secret));
        return ExitCode.DONE;
    }

    private static void put(ObjectNode body, String member, List<String> values) {
        if (!values.isEmpty()) {
            ArrayNode array = body.putArray(member);
            values.forEach(array::add);
        }
    }
}
