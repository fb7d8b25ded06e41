package dev.capsem.cli.secret;

import dev.capsem.cli.command.CliContext;
import dev.capsem.cli.command.CliProblem;
import dev.capsem.cli.command.ExitCode;
import dev.capsem.cli.command.PrintingCommand;
import dev.capsem.cli.screen.Printable;
import dev.capsem.cli.screen.Progress;
import dev.capsem.client.io.RequestTarget;
import dev.capsem.wire.json.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// `capsem secret grant`
@Command(
        footer = {
            "",
            "The sandbox gets a stand-in; the value goes out from here, in the places you name and nowhere",
            "else. With --set the sandbox gets nothing and the door writes the header. The grant goes into the",
            "profile's own file in ~/.capsem/profiles and is in force at once; running commands keep their",
            "environment. Whether the host may be reached is for the rules. For anthropic, gemini, github,",
            "gitlab, openai and openrouter the name is enough. The credential is $${secret:NAME} unless",
            "--secret or --program says where it is.",
            "",
            "Places: header:NAME, basic, query:NAME, path, body:/json/pointer, ws:/json/pointer and",
            "aws-sigv4[:KEYID].",
            "",
            "Examples:",
            "  capsem secret set anthropic && capsem secret grant anthropic",
            "  capsem secret grant docs --host docs.example.com --place header:authorization --env DOCS_TOKEN",
            "  capsem secret grant api --host api.example.com --place header:authorization --set",
            "      --format 'Bearer {}' --secret '$${keyring:api.example.com/me}'"
        })
public final class SecretGrantCommand extends PrintingCommand {
    @Parameters(index = "0", paramLabel = "NAME", description = "Lower-case letters, digits, . _ and -.")
    String name = "";

    @Option(
            names = "--secret",
            paramLabel = "REF",
            description = "Where the credential is: $${secret:NAME} and others.")
    Optional<String> secret = Optional.empty();

    @Option(names = "--program", paramLabel = "WORD", description = "A program that prints it; repeat per argument.")
    List<String> program = new ArrayList<>();

    @Option(names = "--host", paramLabel = "HOST", description = "Where it may go; may be repeated.")
    List<String> hosts = new ArrayList<>();

    @Option(names = "--place", paramLabel = "PLACE", description = "Where in a request; may be repeated.")
    List<String> places = new ArrayList<>();

    @Option(names = "--method", paramLabel = "METHOD", description = "Only with this method; may be repeated.")
    List<String> methods = new ArrayList<>();

    @Option(names = "--path", paramLabel = "PATH", description = "Only to this path, * is any text; may be repeated.")
    List<String> paths = new ArrayList<>();

    @Option(names = "--env", paramLabel = "VARIABLE", description = "The variable that holds the stand-in inside.")
    Optional<String> variable = Optional.empty();

    @Option(names = "--file", paramLabel = "PATH", description = "A file below /root that holds the stand-in.")
    Optional<String> file = Optional.empty();

    @Option(names = "--text", paramLabel = "TEXT", description = "The file's content; {} is the stand-in.")
    Optional<String> text = Optional.empty();

    @Option(names = "--set", description = "Nothing inside: the door writes the place.")
    boolean set;

    @Option(names = "--format", paramLabel = "TEXT", description = "With --set, the text around {}, the value.")
    Optional<String> format = Optional.empty();

    @Option(names = "--shape", paramLabel = "PREFIX", description = "What the stand-in begins with.")
    Optional<String> shape = Optional.empty();

    @Option(names = "--profile", paramLabel = "ID", description = "The profile to add to (default: the one in use).")
    Optional<String> profile = Optional.empty();

    public SecretGrantCommand(CliContext context) {
        super(context);
    }

    @Override
    protected boolean takeWords(List<String> words) {
        return one(words, word -> name = word);
    }

    @Override
    public int run() {
        ObjectNode grant = grant();
        String target = new RequestTarget("grants").with("profile", profile).toString();
        JsonNode reply = Progress.during(
                context.screen(), "granting", () -> context.service().post(target, grant));
        if (output.isJson()) {
            output.print(context.screen(), reply);
        } else if (!output.isQuiet()) {
            context.screen()
                    .print(context.screen().outInk().green("granted ") + Printable.line(name) + " in profile "
                            + Printable.line(reply.path("profile_id").asString("")));
            context.screen().remark("try it: capsem secret test " + Printable.line(name));
        }
        return ExitCode.DONE;
    }

    private ObjectNode grant() {
        Optional<KnownService> known = hosts.isEmpty() ? KnownService.named(name) : Optional.empty();
        if (hosts.isEmpty() && known.isEmpty()) {
            throw CliProblem.usage(
                    "which hosts may get it?",
                    "say --host and --place; without them these names are known: " + KnownService.names());
        }
        ObjectNode grant = Json.object().put("name", name);
        if (program.isEmpty()) {
            grant.put("secret", secret.orElse("${secret:" + name + "}"));
        } else {
            add(grant.putObject("secret"), "program", program);
        }
        add(grant, "hosts", known.map(KnownService::hosts).orElse(hosts));
        add(grant, "places", places.isEmpty() ? known.map(KnownService::places).orElse(places) : places);
        add(grant, "methods", methods);
        add(grant, "paths", paths);
        grant.put("mode", set ? "set" : "placeholder");
        Optional<String> inside =
                set || file.isPresent() ? variable : variable.or(() -> known.map(KnownService::variable));
        inside.ifPresent(value -> grant.put("env", value));
        file.ifPresent(value -> grant.put("file", value));
        text.ifPresent(value -> grant.put("text", value));
        format.ifPresent(value -> grant.put("format", value));
        shape.ifPresent(value -> grant.put("shape", value));
        return grant;
    }

    private static void add(ObjectNode grant, String key, List<String> values) {
        if (!values.isEmpty()) {
            ArrayNode list = grant.putArray(key);
            values.forEach(list::add);
        }
    }
}
