package dev.capsem.cli.authority;

import dev.capsem.cli.command.CliContext;
import dev.capsem.cli.command.CliProblem;
import dev.capsem.cli.command.ExitCode;
import dev.capsem.cli.command.PrintingCommand;
import dev.capsem.network.tls.AuthorityKeys;
import dev.capsem.wire.HomeLayout;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/// `capsem ca generate`
@Command(
        footer = {
            "",
            "Writes ca/capsem-ca.key, which only you can read, and ca/capsem-ca.crt below $CAPSEM_HOME.",
            "Sandboxes that run keep the old authority until they are started again; new ones use the new.",
            "To go back to the built-in one, delete both files.",
            "",
            "Examples:",
            "  capsem ca generate",
            "  capsem ca generate --force          replace the private one"
        })
public final class CaGenerateCommand extends PrintingCommand {
    private static final Duration LIFE = Duration.ofDays(3_650);
    /// For clocks of sandboxes that run behind.
    private static final Duration BACKDATED = Duration.ofDays(1);

    @Option(names = "--force", description = "Replace a private authority that is there.")
    boolean force;

    public CaGenerateCommand(CliContext context) {
        super(context);
    }

    @Override
    public int run() {
        HomeLayout layout = InstalledAuthority.layout(context);
        Path key = layout.authorityKey();
        Path certificate = layout.authorityCertificate();
        if (!force && (Files.exists(key) || Files.exists(certificate))) {
            throw CliProblem.usage(
                    "there is a private authority in " + key.getParent() + " already",
                    "replace it with --force; sandboxes that run keep theirs");
        }
        Instant now = context.clock().instant();
        AuthorityKeys keys = AuthorityKeys.generate(now.minus(BACKDATED), now.plus(LIFE), new SecureRandom());
        try {
            Files.createDirectories(
                    key.getParent(),
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
            // The certificate last: a sandbox that starts between the two refuses the pair, and with it all traffic.
            write(key, keys.keyPem(), "rw-------");
            write(certificate, keys.certificatePem(), "rw-r--r--");
        } catch (IOException failure) {
            throw CliProblem.of(
                    "io_error",
                    "cannot write below " + key.getParent() + ": " + failure.getMessage(),
                    "check the directory");
        }
        InstalledAuthority authority = InstalledAuthority.of(layout);
        if (output.isJson()) {
            output.print(context.screen(), authority.toJson().put("key", key.toString()));
        } else if (!output.isQuiet()) {
            context.screen().print("key          " + key);
            context.screen().print("certificate  " + certificate);
            context.screen().print("sha-256      " + authority.fingerprint());
            context.screen().remark("sandboxes that run keep the old authority; new ones use this one");
        }
        return ExitCode.DONE;
    }

    /// Whole or not at all, and never readable by others, not even for a moment.
    private static void write(Path file, String text, String permissions) throws IOException {
        Path fresh = file.resolveSibling(file.getFileName() + ".new");
        Files.deleteIfExists(fresh);
        try (var channel = Files.newByteChannel(
                        fresh,
                        Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions)));
                OutputStream out = Channels.newOutputStream(channel)) {
            out.write(text.getBytes(StandardCharsets.UTF_8));
        }
        Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }
}
