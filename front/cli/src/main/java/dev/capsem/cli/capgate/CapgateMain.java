package dev.capsem.cli.capgate;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/// Composition root of `capgate`: real streams and files around [CapgateProgram].
public final class CapgateMain {
    private CapgateMain() {}

    public static void main(String[] args) {
        // Artifacts are UTF-8 whatever the locale of the terminal says.
        PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), false, StandardCharsets.UTF_8);
        PrintStream err = new PrintStream(new FileOutputStream(FileDescriptor.err), false, StandardCharsets.UTF_8);
        int exit = new CapgateProgram(new ManifestInput(System.in), out, err).run(List.of(args));
        out.flush();
        err.flush();
        System.exit(exit);
    }
}
