package dev.capsem.service;

import com.sun.management.OperatingSystemMXBean;
import dev.capsem.sandbox.SandboxDriver;
import dev.capsem.sandbox.bwrap.BwrapDriver;
import dev.capsem.sandbox.bwrap.BwrapFiles;
import dev.capsem.service.api.CommandDesk;
import dev.capsem.service.api.FileDesk;
import dev.capsem.service.api.RecordDesk;
import dev.capsem.service.api.SandboxDesk;
import dev.capsem.service.api.ServiceDesk;
import dev.capsem.service.api.ServiceRoutes;
import dev.capsem.service.files.SandboxFiles;
import dev.capsem.service.http.RouteTable;
import dev.capsem.service.io.HttpServer;
import dev.capsem.service.io.IpcDoor;
import dev.capsem.service.io.PrivateDirectories;
import dev.capsem.service.io.SingleInstance;
import dev.capsem.service.launch.ProcessLauncher;
import dev.capsem.service.records.DatabaseLedger;
import dev.capsem.service.records.DatabaseRecords;
import dev.capsem.service.registry.PersistentRegistry;
import dev.capsem.service.sandboxes.SandboxHost;
import dev.capsem.service.sandboxes.ServiceSettings;
import dev.capsem.telemetry.MainDatabase;
import dev.capsem.wire.HomeLayout;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The program capsem-service: wires everything, serves until asked to end.
public final class ServiceMain {
    private static final String VERSION = "0.1.0";
    private static final int EXIT_FAILED = 1;
    private static final int EXIT_USAGE = 2;

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

    private static void serve(HomeLayout layout) throws IOException {
        PrivateDirectories.create(layout);
        Optional<SingleInstance> instance = SingleInstance.acquire(layout.runDir(), layout.serviceSocket());
        if (instance.isEmpty()) {
            System.out.println("capsem-service: already running at " + layout.serviceSocket());
            return;
        }
        ServiceLog.open(layout.serviceLog());
        Logger log = LoggerFactory.getLogger(ServiceMain.class);
        Path dist = Path.of(System.getProperty("capsem.dist", "dist")).toAbsolutePath();
        Clock clock = Clock.systemUTC();
        SandboxDriver driver = new BwrapDriver(BwrapFiles.in(dist, layout.home()));
        ServiceSettings settings =
                SettingsFile.read(layout.serviceConfiguration(), ServiceSettings.forHost(hostMemoryMb()));
        CountDownLatch end = new CountDownLatch(1);
        CountDownLatch ended = new CountDownLatch(1);
        Runtime.getRuntime().addShutdownHook(Thread.ofPlatform().unstarted(new Farewell(end, ended)));

        try (SingleInstance _ = instance.get();
                MainDatabase main = MainDatabase.open(layout.mainDatabase(), clock);
                ProcessLauncher launcher = new ProcessLauncher(
                        dist.resolve("bin").resolve("capsem-process"),
                        layout,
                        Map.of("CAPSEM_HOME", layout.home().toString()));
                SandboxHost host = new SandboxHost(new SandboxHost.Surroundings(
                        layout,
                        settings,
                        driver,
                        PersistentRegistry.open(layout.registryFile()),
                        new DatabaseLedger(main),
                        new IpcDoor(),
                        launcher,
                        clock,
                        new SecureRandom(),
                        VERSION,
                        System.getProperty("user.name"),
                        bootId(),
                        Runtime.getRuntime().maxMemory()))) {
            host.open();
            RouteTable routes = ServiceRoutes.table(
                    new ServiceDesk(host, driver, layout, VERSION, settings.sandboxesMax(), clock, end::countDown),
                    new SandboxDesk(host.sandboxes(), host.summaries()),
                    new CommandDesk(host.sandboxes(), host.commands()),
                    new FileDesk(new SandboxFiles(host.sandboxes(), host.commands())),
                    new RecordDesk(host.sandboxes(), new DatabaseRecords(main)));
            try (HttpServer _ = HttpServer.start(layout.serviceSocket(), routes, host.commands())) {
                log.info("serving at {}", layout.serviceSocket());
                host.warmUp();
                end.await();
                log.info("ending");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            ended.countDown();
        }
    }

    private static long hostMemoryMb() {
        var system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
        return system.getTotalMemorySize() / 1_048_576;
    }

    private static String bootId() throws IOException {
        return Files.readString(Path.of("/proc/sys/kernel/random/boot_id")).strip();
    }
}
