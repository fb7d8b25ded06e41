package dev.capsem.cli.profile;

import dev.capsem.cli.command.CliContext;
import dev.capsem.cli.command.CliProblem;
import dev.capsem.cli.command.ExitCode;
import dev.capsem.cli.command.PrintingCommand;
import dev.capsem.cli.profile.io.Download;
import dev.capsem.cli.rules.SourceFile;
import dev.capsem.cli.screen.Printable;
import dev.capsem.cli.screen.Progress;
import dev.capsem.client.io.ServiceCallException;
import dev.capsem.profiles.io.CorpInstall;
import dev.capsem.profiles.io.ProfileException;
import dev.capsem.profiles.io.ProfileFolders;
import dev.capsem.wire.HomeLayout;
import dev.capsem.wire.json.Json;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `capsem profiles fetch`
@Command(
        footer = {
            "",
            "Gets URL and URL.minisig, checks the signature with the key that this machine believes, and puts",
            "the payload into $CAPSEM_HOME/corp. The first time give the key that your company told you. A",
            "payload with another signature, or older than the one that is there, changes nothing. Lists that",
            "the payload pins under [security.lists] are fetched from beside it and checked by their digest.",
            "",
            "Examples:",
            "  capsem profiles fetch https://capsem.acme.example/acme.toml --key acme.pub",
            "  capsem profiles fetch https://capsem.acme.example/acme.toml"
        })
public final class ProfilesFetchCommand extends PrintingCommand {
    private static final Path MACHINE_DIRECTORY = Path.of("/etc/capsem");

    @Option(
            names = "--key",
            paramLabel = "FILE",
            description = "The company's minisign public key; trusted from now on.")
    Optional<String> key = Optional.empty();

    @Parameters(index = "0", paramLabel = "URL", description = "The profile's address: https, ending in <name>.toml.")
    String url = "";

    public ProfilesFetchCommand(CliContext context) {
        super(context);
    }

    @Override
    public int run() {
        URI source = source();
        String name = source.getPath().substring(source.getPath().lastIndexOf('/') + 1);
        Optional<String> given = key.map(file -> SourceFile.read(context, file).text());
        try (Download download = new Download()) {
            return install(download, source, name, given);
        }
    }

    private int install(Download download, URI source, String name, Optional<String> given) {
        String fetching = "fetching " + Printable.line(name);
        byte[] payload = Progress.during(context.screen(), fetching, () -> get(download, source));
        byte[] signature = get(download, URI.create(source + ".minisig"));
        Path home = HomeLayout.of(
                        context.environment(),
                        Path.of(System.getProperty("user.home")),
                        Path.of(System.getProperty("java.io.tmpdir")))
                .home();
        CorpInstall install = new CorpInstall(ProfileFolders.of(home, MACHINE_DIRECTORY, home));
        try {
            return switch (install.install(
                    name,
                    payload,
                    new String(signature, StandardCharsets.UTF_8),
                    given,
                    list -> new String(get(download, source.resolve(list)), StandardCharsets.UTF_8))) {
                case CorpInstall.Outcome.Refused refused ->
                    throw CliProblem.of("payload_refused", Printable.line(refused.reason()), refused.remedy());
                case CorpInstall.Outcome.Installed installed -> tell(installed);
            };
        } catch (ProfileException unwritable) {
            throw CliProblem.of("io_error", String.valueOf(unwritable.getMessage()), "check the disk and permissions");
        }
    }

    private URI source() {
        URI source;
        try {
            source = URI.create(url);
        } catch (IllegalArgumentException malformed) {
            throw CliProblem.usage("this is not a URL", "write https://host/path/<name>.toml");
        }
        if (!Download.isAllowed(source) || source.getPath() == null || source.getRawQuery() != null) {
            throw CliProblem.usage(
                    "a payload is fetched over https, without user and query", "write https://host/path/<name>.toml");
        }
        return source;
    }

    private static byte[] get(Download download, URI from) {
        try {
            return download.get(from);
        } catch (IOException failed) {
            throw CliProblem.of(
                    "fetch_failed",
                    "cannot fetch " + Printable.line(from.toString()) + ": "
                            + Printable.line(String.valueOf(failed.getMessage())),
                    "check the URL; the signature lies beside the payload as <name>.toml.minisig");
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw CliProblem.of("interrupted", "interrupted", "try again");
        }
    }

    private int tell(CorpInstall.Outcome.Installed installed) {
        int exit = ExitCode.DONE;
        try {
            context.service().post("/reload-config", Json.object());
        } catch (ServiceCallException refused) {
            context.screen().remark(Printable.line(refused.error().error()));
            exit = ExitCode.NO;
        }
        if (output.isJson()) {
            output.print(
                    context.screen(),
                    Json.object()
                            .put("file", installed.file().toString())
                            .put("revision", installed.revision())
                            .put("key_id", installed.key()));
        } else if (!output.isQuiet()) {
            context.screen()
                    .print(installed.file() + ", revision " + installed.revision() + ", signed by " + installed.key());
        }
        return exit;
    }
}
