package dev.capsem.daemon;

import com.sun.management.OperatingSystemMXBean;
import dev.capsem.daemon.io.PrivateDirectories;
import dev.capsem.daemon.io.SingleInstance;
import dev.capsem.sandbox.bwrap.BwrapDriver;
import dev.capsem.sandbox.bwrap.BwrapFiles;
import dev.capsem.service.limits.ServiceSettings;
import dev.capsem.telemetry.log.ProgramLog;
import dev.capsem.wire.HomeLayout;
import dev.capsem.wire.io.PanicLog;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.LoggerFactory;

/// The program capsem-service: asks the host, wires everything, serves until asked to end.
public final class ServiceMain {
    private static final int EXIT_FAILED = 1;
    private static final int EXIT_USAGE = 2;

    private static final ProgramLog.Rotation LOG_ROTATION = new ProgramLog.Rotation(5 << 20, 3);

    private ServiceMain() {}

    public static void main(String[] arguments) {
        Optional<ServiceArguments> parsed = ServiceArguments.parse(arguments);
        if (parsed.isEmpty()) {
            System.err.println(ServiceArguments.USAGE);
            System.exit(EXIT_USAGE);
        }
        try {
            serve(parsed.orElseThrow()
                    .layout(HomeLayout.of(
                            System.getenv(),
                            Path.of(System.getProperty("user.home")),
                            Path.of(System.getProperty("java.io.tmpdir")))));
            System.exit(0);
        } catch (IOException | RuntimeException e) {
            System.err.println("capsem-service: " + e.getMessage());
            LoggerFactory.getLogger(ServiceMain.class).error("the service cannot go on", e);
            System.exit(EXIT_FAILED);
        }
    }

    private static void serve(HomeLayout wanted) throws IOException {
        SecureRandom random = new SecureRandom();
        HomeLayout layout = PrivateDirectories.create(wanted, random);
        Optional<SingleInstance> instance = SingleInstance.acquire(layout.runDir(), layout.serviceSocket());
        if (instance.isEmpty()) {
            System.out.println("capsem-service: already running at " + layout.serviceSocket());
            return;
        }
        new ProgramLog().toFile(layout.serviceLog(), LOG_ROTATION);
        PanicLog panics = new PanicLog("capsem-service", layout.panicLog(), InstantSource.system()).install();
        Path dist = Path.of(System.getProperty("capsem.dist", "dist")).toAbsolutePath();
        ServiceWiring.Host host = new ServiceWiring.Host(
                layout,
                dist,
                SettingsFile.read(layout.serviceConfiguration(), ServiceSettings.forHost(hostMemoryMb())),
                new BwrapDriver(BwrapFiles.in(dist, layout.home())),
                Clock.systemUTC(),
                random,
                System.getProperty("user.name"),
                userHome(),
                bootId());
        CountDownLatch end = new CountDownLatch(1);
        CountDownLatch ended = new CountDownLatch(1);
        AtomicBoolean serves = new AtomicBoolean();
        Runtime.getRuntime().addShutdownHook(Thread.ofPlatform().unstarted(new ShutdownHook(end, ended, serves::get)));
        try (SingleInstance _ = instance.get();
                ServiceWiring wiring = new ServiceWiring(host, panics)) {
            wiring.serve(end, () -> serves.set(true));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            ended.countDown();
        }
    }

    /// Where other tools keep their settings: as their shells see it, which need not be what the password file says.
    private static Path userHome() {
        return Optional.ofNullable(System.getenv("HOME"))
                .filter(home -> home.startsWith("/"))
                .map(Path::of)
                .orElseGet(() -> Path.of(System.getProperty("user.home")));
    }

    private static long hostMemoryMb() {
        var system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
        return system.getTotalMemorySize() / 1_048_576;
    }

    private static String bootId() throws IOException {
        return Files.readString(Path.of("/proc/sys/kernel/random/boot_id")).strip();
    }
}
