package dev.capsem.process;

import dev.capsem.events.vocabulary.EventType;
import dev.capsem.events.vocabulary.IdSource;
import dev.capsem.network.NetworkEngine;
import dev.capsem.process.configuration.SessionConfiguration;
import dev.capsem.process.record.LiveEvents;
import dev.capsem.process.record.Recorder;
import dev.capsem.process.record.WatchedSink;
import dev.capsem.process.rules.SessionRules;
import dev.capsem.sandbox.SandboxDriver;
import dev.capsem.telemetry.SessionIdentity;
import dev.capsem.telemetry.TelemetryException;
import dev.capsem.telemetry.log.ProgramLog;
import dev.capsem.telemetry.write.SessionWriter;
import dev.capsem.wire.SandboxId;
import dev.capsem.wire.SandboxSpec;
import dev.capsem.wire.guest.GuestProtocol;
import dev.capsem.wire.guest.HostMessage;
import dev.capsem.wire.ipc.IpcProtocol;
import dev.capsem.wire.ipc.ServiceMessage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/// Does once, for nothing, what an assignment will need, so that its classes, its native library and its caches are
/// there when it comes. Failing here is no failure: the assignment will say what is wrong.
final class WarmUp {
    private WarmUp() {}

    /// Stops when a sandbox is assigned, which does the same work for real.
    ///
    /// @param isSpare whether there is no assignment yet
    /// @param usualProfile the effective profile that the assignment will probably bring, if there is such a file
    static void inBackground(
            BooleanSupplier isSpare,
            ProgramLog log,
            SandboxDriver driver,
            ExecutorService launchThread,
            InstantSource clock,
            SessionRules rules,
            Path usualProfile) {
        Thread.ofPlatform().name("warm-up").daemon().start(() -> {
            log.toStandardError();
            Stream.<Runnable>of(
                            WarmUp::codecs,
                            () -> launchThread.execute(driver::prepareLaunch),
                            () -> database(clock),
                            () -> rules.prepare(usualProfile),
                            NetworkEngine::prepare,
                            ExitNative::prepare)
                    .takeWhile(_ -> isSpare.getAsBoolean())
                    .forEach(Runnable::run);
        });
    }

    private static void codecs() {
        ServiceMessage assign = new ServiceMessage.Assign(spec(Path.of("/")), Path.of("/"));
        IpcProtocol.decodeService(IpcProtocol.encode(assign));
        GuestProtocol.decodeHost(GuestProtocol.encode(new HostMessage.Boot(0, "warm-up", List.of())));
    }

    private static void database(InstantSource clock) {
        try {
            Path directory = Files.createTempDirectory("capsem-warm-up");
            try (SessionWriter writer = SessionWriter.open(
                    directory.resolve("session.db"), new SessionIdentity("warm-up", "none", "none"), clock)) {
                IdSource ids = new IdSource(clock, new Random(0));
                new Recorder(
                                new WatchedSink(writer, new LiveEvents(text -> text)::publish),
                                ids,
                                clock,
                                spec(directory),
                                () -> SessionConfiguration.NONE)
                        .lifecycle(EventType.SANDBOX_START);
                writer.flush();
            } finally {
                remove(directory);
            }
        } catch (IOException | TelemetryException e) {
            // A full or read-only temp directory is no reason not to be a spare.
        }
    }

    private static SandboxSpec spec(Path directory) {
        return new SandboxSpec(
                new SandboxId("warm-up"),
                directory,
                directory,
                new SandboxSpec.Limits(SandboxSpec.Limits.MEMORY_MB_MIN, 1, SandboxSpec.Limits.PIDS_MAX_DEFAULT),
                Map.of(),
                Optional.empty(),
                "none",
                "none");
    }

    private static void remove(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            files.forEach(file -> {
                try {
                    Files.delete(file);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
        }
        Files.delete(directory);
    }
}
