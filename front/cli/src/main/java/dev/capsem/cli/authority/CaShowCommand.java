package dev.capsem.cli.authority;

import dev.capsem.cli.command.CliContext;
import dev.capsem.cli.command.ExitCode;
import dev.capsem.cli.command.PrintingCommand;
import dev.capsem.cli.screen.Facts;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/// `capsem ca show`
@Command(
        footer = {
            "",
            "Only sandboxes trust this authority: it signs the certificates that they see in",
            "place of those of the sites. The built-in one is the same for everybody, and so is its key: never",
            "import it into a browser or a host. A private one: `capsem ca generate`.",
            "",
            "Examples:",
            "  capsem ca show",
            "  capsem ca show --pem > capsem-ca.crt"
        })
public final class CaShowCommand extends PrintingCommand {
    @Option(names = "--pem", description = "Only the certificate, as PEM.")
    boolean pem;

    public CaShowCommand(CliContext context) {
        super(context);
    }

    @Override
    public int run() {
        InstalledAuthority authority = InstalledAuthority.of(InstalledAuthority.layout(context));
        if (authority.file().isEmpty() && !output.isJson()) {
            context.screen().warn(InstalledAuthority.PUBLIC);
        }
        if (output.isJson()) {
            var json = authority.toJson();
            output.print(
                    context.screen(), pem ? json.put("pem", authority.keys().certificatePem()) : json);
        } else if (pem) {
            context.screen().out().print(authority.keys().certificatePem());
        } else {
            print(authority);
        }
        return ExitCode.DONE;
    }

    private void print(InstalledAuthority authority) {
        var facts = new Facts();
        facts.add("authority", authority.source());
        facts.add("subject", authority.subject());
        facts.add("sha-256", authority.fingerprint());
        facts.add("valid", authority.notBefore() + " to " + authority.notAfter());
        facts.printTo(context.screen());
    }
}
