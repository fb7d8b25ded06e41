package dev.capsem.cli.sandboxes;

import dev.capsem.cli.command.CliContext;
import dev.capsem.cli.command.CliProblem;
import dev.capsem.cli.command.ExitCode;
import dev.capsem.cli.command.FileFault;
import dev.capsem.cli.command.PrintingCommand;
import dev.capsem.cli.screen.Amounts;
import dev.capsem.cli.screen.Progress;
import dev.capsem.wire.SandboxId;
import dev.capsem.wire.json.Json;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/// `capsem cp`
@Command(
        footer = {
            "",
            "One side is SANDBOX:PATH, relative to /root of the sandbox; `-` is stdin or stdout. One file, at",
            "most 10 MiB; for more, or for directories, use tar: `tar c dir | capsem exec lab -- tar x`.",
            "",
            "Examples:",
            "  capsem cp notes.txt lab:notes.txt",
            "  capsem cp lab:out/report.pdf .",
            "  capsem cp lab:data.json - | jq ."
        })
public final class CopyCommand extends PrintingCommand {
    /// The service's own limit; checked here too, so that a huge file is not read for nothing.
    private static final int FILE_BYTES_MAX = 10 * 1024 * 1024;

    @Parameters(index = "0", paramLabel = "SOURCE", description = "A file, SANDBOX:PATH, or -.")
    String source = "";

    @Parameters(index = "1", paramLabel = "TARGET", description = "A file or directory, SANDBOX:PATH, or -.")
    String target = "";

    public CopyCommand(CliContext context) {
        super(context);
    }

    /// `SANDBOX:PATH`
    private record Inside(String session, String path) {
        /// A word with a slash before its colon is a file of ours.
        static Optional<Inside> of(String word) {
            int colon = word.indexOf(':');
            return colon > 0 && SandboxId.isValid(word.substring(0, colon))
                    ? Optional.of(new Inside(word.substring(0, colon), word.substring(colon + 1)))
                    : Optional.empty();
        }
    }

    @Override
    public int run() {
        Optional<Inside> from = Inside.of(source);
        Optional<Inside> to = Inside.of(target);
        if (from.isPresent() == to.isPresent()) {
            throw CliProblem.usage(
                    from.isPresent() ? "only one side can be a sandbox" : "one side must be SANDBOX:PATH",
                    "for example: capsem cp notes.txt lab:notes.txt");
        }
        try {
            long size = from.isPresent() ? copyOut(from.get()) : copyIn(to.orElseThrow());
            if (output.isJson() && !target.equals("-")) {
                output.print(
                        context.screen(), Json.object().put("success", true).put("size", size));
            } else if (!output.isQuiet() && context.screen().terminals().err()) {
                context.screen().remark(Amounts.bytes(size) + " copied");
            }
            return ExitCode.DONE;
        } catch (FileSystemException failure) {
            throw from.isPresent() ? FileFault.ofNew(failure) : FileFault.of(failure);
        } catch (IOException failure) {
            throw new UncheckedIOException(
                    "cannot copy " + source + " to " + target + ": " + failure.getMessage(), failure);
        }
    }

    private long copyOut(Inside from) throws IOException {
        byte[] content = Progress.during(
                context.screen(), "copying", () -> context.service().readFile(from.session(), from.path()));
        if (target.equals("-")) {
            context.screen().out().write(content);
            return content.length;
        }
        Path file = context.directory().resolve(target);
        Files.write(Files.isDirectory(file) ? file.resolve(lastName(from.path())) : file, content);
        return content.length;
    }

    private long copyIn(Inside to) throws IOException {
        byte[] content = source.equals("-")
                ? read(context.screen().in())
                : read(context.directory().resolve(source));
        boolean intoDirectory = to.path().isEmpty() || to.path().endsWith("/");
        if (intoDirectory && source.equals("-")) {
            throw CliProblem.usage("stdin has no name", "name the file in the sandbox");
        }
        String path = intoDirectory ? to.path() + Path.of(source).getFileName() : to.path();
        try (var _ = Progress.of(context.screen(), "copying")) {
            context.service().writeFile(to.session(), path, content);
        }
        return content.length;
    }

    private static byte[] read(Path file) throws IOException {
        if (Files.isDirectory(file)) {
            throw CliProblem.usage(file + " is a directory", "use tar: tar c DIR | capsem exec SANDBOX -- tar x");
        }
        try (InputStream in = Files.newInputStream(file)) {
            return read(in);
        }
    }

    private static byte[] read(InputStream in) throws IOException {
        byte[] content = in.readNBytes(FILE_BYTES_MAX + 1);
        if (content.length > FILE_BYTES_MAX) {
            throw CliProblem.of(
                    "file_too_large",
                    "the file is larger than 10 MiB",
                    "use tar: tar c FILE | capsem exec SANDBOX -- tar x");
        }
        return content;
    }

    private static String lastName(String path) {
        return path.substring(path.lastIndexOf('/') + 1);
    }
}
