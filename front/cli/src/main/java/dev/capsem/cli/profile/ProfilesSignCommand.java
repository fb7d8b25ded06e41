package dev.capsem.cli.profile;

import dev.capsem.cli.command.CliContext;
import dev.capsem.cli.command.CliProblem;
import dev.capsem.cli.command.ExitCode;
import dev.capsem.cli.command.PrintingCommand;
import dev.capsem.cli.rules.SourceFile;
import dev.capsem.profiles.corp.SigningKey;
import dev.capsem.wire.json.Json;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `capsem profiles sign`
@Command(
        footer = {
            "",
            "The signature is what `minisign -S` makes. The secret key is read here and goes nowhere. Check",
            "the profile first: capsem profiles validate FILE.",
            "",
            "Examples:",
            "  capsem profiles sign acme.toml --key acme.key          writes acme.toml.minisig",
            "  capsem profiles sign acme.toml --key acme.key -o out/acme.toml.minisig"
        })
public final class ProfilesSignCommand extends PrintingCommand {
    @Option(names = "--key", paramLabel = "FILE", required = true, description = "A minisign secret key.")
    String key = "";

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FILE",
            description = "The signature's file (default: beside the profile, replacing an older one).")
    Optional<String> target = Optional.empty();

    @Parameters(index = "0", paramLabel = "FILE", description = "Name of the profile.")
    String file = "";

    public ProfilesSignCommand(CliContext context) {
        super(context);
    }

    @Override
    public int run() {
        SourceFile source = SourceFile.read(context, file);
        SigningKey signing =
                switch (SigningKey.parse(SourceFile.read(context, key).text())) {
                    case SigningKey.Parsed.Ok ok -> ok.key();
                    case SigningKey.Parsed.Refused refused ->
                        throw CliProblem.usage(key + ": " + refused.reason(), "make one: capsem profiles keygen NAME");
                };
        String comment = "timestamp:" + context.clock().instant().getEpochSecond() + "\tfile:"
                + context.directory().resolve(file).getFileName() + "\thashed";
        Path signature = context.directory().resolve(target.orElse(file + ".minisig"));
        try {
            Files.writeString(signature, signing.sign(source.text().getBytes(StandardCharsets.UTF_8), comment));
        } catch (IOException failure) {
            throw CliProblem.of(
                    "io_error", "cannot write " + signature + ": " + failure.getMessage(), "check the path");
        }
        if (output.isJson()) {
            output.print(
                    context.screen(),
                    Json.object()
                            .put("signature", signature.toString())
                            .put("key_id", signing.verifyingKey().name()));
        } else if (!output.isQuiet()) {
            context.screen()
                    .print(signature + ", by key " + signing.verifyingKey().name());
        }
        return ExitCode.DONE;
    }
}
