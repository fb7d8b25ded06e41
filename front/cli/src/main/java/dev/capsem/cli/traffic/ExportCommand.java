package dev.capsem.cli.traffic;

import dev.capsem.cli.command.CliContext;
import dev.capsem.cli.command.CliProblem;
import dev.capsem.cli.command.ExitCode;
import dev.capsem.cli.command.FileFault;
import dev.capsem.cli.command.PrintingCommand;
import dev.capsem.cli.screen.Amounts;
import dev.capsem.cli.screen.Progress;
import dev.capsem.cli.screen.Screen;
import dev.capsem.client.SandboxService;
import dev.capsem.client.io.ServiceClient;
import dev.capsem.wire.json.Json;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `capsem export`
@Command(
        footer = {
            "",
            "Headers and bodies are exported as they were recorded: values that may be secret are hashes,",
            "bodies are previews. Browsers and HTTP tools open the file. Works on stopped sandboxes too.",
            "",
            "Examples:",
            "  capsem export lab --har -o lab.har",
            "  capsem export lab --har | jq '.log.entries[].request.url'"
        })
public final class ExportCommand extends PrintingCommand {
    @Parameters(index = "0", paramLabel = "SANDBOX", description = "Name or id of the sandbox.")
    String session = "";

    @Option(names = "--har", required = true, description = "All HTTP exchanges, as HAR 1.2.")
    boolean har;

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FILE",
            description = "Write to this file instead of stdout.")
    Optional<String> file = Optional.empty();

    public ExportCommand(CliContext context) {
        super(context);
    }

    @Override
    public int run() {
        String target = "/export/" + ServiceClient.encode(session) + "?format=har";
        try (SandboxService.Download download = context.service().download(target)) {
            if (file.isEmpty()) {
                print(download);
                return ExitCode.DONE;
            }
            Path path = context.directory().resolve(file.get());
            long bytes = save(download, path);
            if (output.isJson()) {
                output.print(
                        context.screen(),
                        Json.object().put("file", path.toString()).put("bytes", bytes));
            } else if (!output.isQuiet()) {
                context.screen().remark(path + ": " + Amounts.bytes(bytes));
            }
        } catch (FileSystemException failure) {
            throw FileFault.ofNew(failure);
        } catch (IOException cut) {
            throw CliProblem.of(
                    "export_cut", "the export ended early: " + cut.getMessage(), "try again, and check the disk");
        }
        return ExitCode.DONE;
    }

    private void print(SandboxService.Download download) throws IOException {
        Screen screen = context.screen();
        if (screen.terminals().out()) {
            download.writeTo(screen.out());
        } else {
            try (var _ = Progress.of(screen, "exporting")) {
                download.writeTo(screen.out());
            }
        }
        screen.out().flush();
    }

    private long save(SandboxService.Download download, Path path) throws IOException {
        try (var _ = Progress.of(context.screen(), "exporting");
                OutputStream out = Files.newOutputStream(path)) {
            return download.writeTo(out);
        }
    }
}
