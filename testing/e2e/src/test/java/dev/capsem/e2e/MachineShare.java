package dev.capsem.e2e;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/// Shares the machine between the JVMs that run test classes beside each other: a class with [Alone] waits until the
/// others have ended theirs, and they wait for it. A hundred commands at once starve whoever runs beside them, and a
/// test that was starved says nothing.
///
/// Two files are locked. The gate is held only on the way in, so that a class that waits for the whole machine is not
/// overtaken for ever by others that share it.
public final class MachineShare implements BeforeAllCallback {
    private static final Path FOLDER = Path.of("target");

    /// Ends with the test class.
    private record Share(FileChannel machine) implements AutoCloseable {
        @Override
        public void close() throws IOException {
            machine.close();
        }
    }

    @Override
    public void beforeAll(ExtensionContext context) throws IOException {
        Class<?> test = context.getRequiredTestClass();
        if (test.isMemberClass()) {
            // Its outer class holds the share.
            return;
        }
        context.getStore(ExtensionContext.Namespace.create(MachineShare.class))
                .put(test, take(test.isAnnotationPresent(Alone.class)));
    }

    private static Share take(boolean isAlone) throws IOException {
        Files.createDirectories(FOLDER);
        try (FileChannel gate = open("gate.lock")) {
            var _ = gate.lock();
            FileChannel machine = open("machine.lock");
            var _ = machine.lock(0, Long.MAX_VALUE, !isAlone);
            return new Share(machine);
        }
    }

    private static FileChannel open(String name) throws IOException {
        return FileChannel.open(
                FOLDER.resolve(name), StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
    }
}
