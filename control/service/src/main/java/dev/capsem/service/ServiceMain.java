package dev.capsem.service;

import com.sun.management.OperatingSystemMXBean;
import dev.capsem.profiles.io.ProfileFolders;
import dev.capsem.profiles.io.ProfileSource;
import dev.capsem.profiles.io.SecretStore;
import dev.capsem.sandbox.SandboxDriver;
import dev.capsem.sandbox.bwrap.BwrapDriver;
import dev.capsem.sandbox.bwrap.BwrapFiles;
import dev.capsem.sandbox.workspace.KeptShelf;
import dev.capsem.service.api.CommandApi;
import dev.capsem.service.api.ConfirmApi;
import dev.capsem.service.api.DiagnoseApi;
import dev.capsem.service.api.FileApi;
import dev.capsem.service.api.McpApi;
import dev.capsem.service.api.OperationsApi;
import dev.capsem.service.api.ProfileApi;
import dev.capsem.service.api.ProvisionWarnings;
import dev.capsem.service.api.RecordApi;
import dev.capsem.service.api.RuleApi;
import dev.capsem.service.api.RuntimeApi;
import dev.capsem.service.api.SandboxApi;
import dev.capsem.service.api.ServiceApi;
import dev.capsem.service.api.ServiceErrors;
import dev.capsem.service.api.ServiceRoutes;
import dev.capsem.service.approvals.Approvals;
import dev.capsem.service.diagnose.HostLogs;
import dev.capsem.service.diagnose.OperationWatch;
import dev.capsem.service.diagnose.Panics;
import dev.capsem.service.files.SandboxFiles;
import dev.capsem.service.http.RouteTable;
import dev.capsem.service.inspect.Inspections;
import dev.capsem.service.io.Gateway;
import dev.capsem.service.io.HttpServer;
import dev.capsem.service.io.IpcDoor;
import dev.capsem.service.io.PrivateDirectories;
import dev.capsem.service.io.SingleInstance;
import dev.capsem.service.launch.ProcessLauncher;
import dev.capsem.service.metrics.Metrics;
import dev.capsem.service.overlay.RuntimeRules;
import dev.capsem.service.profiles.Profiles;
import dev.capsem.service.profiles.Rulebook;
import dev.capsem.service.profiles.SessionPolicy;
import dev.capsem.service.records.DatabaseLedger;
import dev.capsem.service.records.DatabaseRecords;
import dev.capsem.service.registry.PersistentRegistry;
import dev.capsem.service.reload.RegistrySetup;
import dev.capsem.service.reload.Reloads;
import dev.capsem.service.rules.Backtests;
import dev.capsem.service.rules.HostsFile;
import dev.capsem.service.rules.RuleCounts;
import dev.capsem.service.rules.RuleQuestions;
import dev.capsem.service.sandboxes.SandboxHost;
import dev.capsem.service.sandboxes.ServiceSettings;
import dev.capsem.service.v1.routes.SandboxServerParts;
import dev.capsem.telemetry.write.MainDatabase;
import dev.capsem.wire.HomeLayout;
import dev.capsem.wire.io.PanicLog;
import dev.capsem.wire.io.TaskScope;
import dev.capsem.wire.service.StatusReply;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The program capsem-service: wires everything, serves until asked to end.
public final class ServiceMain {
    private static final String VERSION = "0.1.0";
    private static final Path MACHINE_DIRECTORY = Path.of("/etc/capsem");
    private static final Duration WATCH_EVERY = Duration.ofSeconds(1);
    /// Longer than a browser needs to connect a stream again.
    private static final Duration WATCHER_GRACE = Duration.ofSeconds(10);

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

    private static void serve(HomeLayout wanted) throws IOException {
        SecureRandom random = new SecureRandom();
        HomeLayout layout = PrivateDirectories.create(wanted, random);
        Optional<SingleInstance> instance = SingleInstance.acquire(layout.runDir(), layout.serviceSocket());
        if (instance.isEmpty()) {
            System.out.println("capsem-service: already running at " + layout.serviceSocket());
            return;
        }
        ServiceLog.open(layout.serviceLog());
        PanicLog panics = new PanicLog("capsem-service", layout.panicLog(), InstantSource.system()).install();
        Logger log = LoggerFactory.getLogger(ServiceMain.class);
        Path dist = Path.of(System.getProperty("capsem.dist", "dist")).toAbsolutePath();
        Clock clock = Clock.systemUTC();
        SandboxDriver driver = new BwrapDriver(BwrapFiles.in(dist, layout.home()));
        ServiceSettings settings =
                SettingsFile.read(layout.serviceConfiguration(), ServiceSettings.forHost(hostMemoryMb()));
        CountDownLatch end = new CountDownLatch(1);
        CountDownLatch ended = new CountDownLatch(1);
        AtomicBoolean serves = new AtomicBoolean();
        Runtime.getRuntime().addShutdownHook(Thread.ofPlatform().unstarted(new Farewell(end, ended, serves::get)));

        IpcDoor door = new IpcDoor();
        Rulebook rulebook = new Rulebook();
        RuntimeRules overlay = RuntimeRules.open(layout.runDir(), rulebook);
        TaskScope background = new TaskScope("policy", (thread, e) -> {
            panics.uncaughtException(thread, e);
            log.error("a background task failed", e);
        });
        // Read while the rest starts.
        Profiles profiles = new Profiles(
                ProfileFolders.of(layout.home(), MACHINE_DIRECTORY, userHome()),
                layout.runDir(),
                rulebook,
                background::start);
        SessionPolicy policy = new SessionPolicy(profiles, overlay);

        try (SingleInstance _ = instance.get();
                TaskScope _ = background;
                Inspections inspections = new Inspections();
                MainDatabase main = MainDatabase.open(layout.mainDatabase(), clock);
                ProcessLauncher launcher = new ProcessLauncher(
                        dist.resolve("bin").resolve("capsem-process"),
                        layout,
                        Map.of(
                                "CAPSEM_HOME",
                                layout.home().toString(),
                                "CAPSEM_RUN_DIR",
                                layout.runDir().toString()));
                SandboxHost host = new SandboxHost(new SandboxHost.Surroundings(
                        layout,
                        settings,
                        driver,
                        PersistentRegistry.open(layout.registryFile()),
                        new DatabaseLedger(main),
                        door,
                        launcher,
                        clock,
                        random,
                        VERSION,
                        System.getProperty("user.name"),
                        bootId(),
                        Runtime.getRuntime().maxMemory(),
                        policy))) {
            host.open();
            Reloads reloads = new Reloads(policy, host.sandboxes(), door, background);
            Approvals approvals = new Approvals(new Approvals.Surroundings(
                    host.sandboxes(),
                    door,
                    background,
                    profiles,
                    reloads,
                    clock,
                    random,
                    System.getProperty("user.name"),
                    WATCHER_GRACE));
            RuleQuestions questions = new RuleQuestions(policy, rulebook, new HostsFile(Path.of("/etc/hosts")));
            RuleCounts counts = new RuleCounts(door);
            DatabaseRecords records = new DatabaseRecords(main);
            host.changes().add(reloads);
            approvals.begin(host.changes());
            OperationWatch operations = new OperationWatch();
            SandboxServerParts v1 =
                    new SandboxServerParts(host, profiles, layout.home().resolve("server"), clock, random, operations);
            ProvisionWarnings warnings = new ProvisionWarnings(profiles, driver::abilities);
            RouteTable routes = ServiceRoutes.table(
                    operations,
                    new ServiceApi(
                            host,
                            driver,
                            layout,
                            VERSION,
                            settings.sandboxesMax(),
                            clock,
                            () -> faults(v1, profiles, host),
                            end::countDown),
                    new SandboxApi(host.sandboxes(), host.summaries(), warnings, host.activities()),
                    new CommandApi(host.sandboxes(), host.commands(), warnings),
                    new FileApi(new SandboxFiles(host.sandboxes(), host.commands())),
                    new RecordApi(host.sandboxes(), records),
                    new OperationsApi(
                            host.sandboxes(),
                            records,
                            new Metrics(host, door, approvals::waiting, operations, settings.sandboxesMax(), clock),
                            VERSION),
                    new DiagnoseApi(host.sandboxes(), layout, inspections, records, clock),
                    new ConfirmApi(approvals, reloads),
                    new RuleApi(host.sandboxes(), profiles, questions, counts, reloads),
                    new RuntimeApi(overlay, reloads, new Backtests(rulebook), counts, host.sandboxes()),
                    new ProfileApi(
                            profiles,
                            new SecretStore(layout.home().resolve("secrets.json")),
                            questions,
                            reloads,
                            clock),
                    new McpApi(host.sandboxes(), door));
            background.start(v1::enforceDeadlines);
            try (Gateway gateway = new Gateway(layout.runDir().resolve("gateway.port"), v1.endpoint(), v1::guard);
                    HttpServer _ =
                            HttpServer.start(layout.serviceSocket(), v1.before(routes, gateway, new ServiceErrors()))) {
                v1.resume(gateway);
                serves.set(true);
                noteBuild(layout, dist);
                log.info("serving at {}", layout.serviceSocket());
                profiles.refreshWarmUp();
                host.warmUp();
                background.start(reloads::adopted);
                background.start(new Panics(layout, new HostLogs(layout))::prune);
                background.start(() -> new KeptShelf(layout.keptDir()).prune(Instant.now()));
                background.start(new RegistrySetup(profiles.folders(), reloads));
                ProfileSource.Watch watch = profiles.watch(WATCH_EVERY, reloads::changed);
                end.await();
                watch.close();
                log.info("ending");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            ended.countDown();
        }
    }

    private static List<StatusReply.Problem> faults(SandboxServerParts v1, Profiles profiles, SandboxHost host) {
        List<String> inUse = host.sandboxes().all().stream()
                .filter(sandbox -> sandbox.status().isLive())
                .map(sandbox -> sandbox.facts().profileId())
                .toList();
        return Stream.of(host.shortage().stream(), v1.problems().stream(), profiles.faults(inUse).stream())
                .flatMap(each -> each)
                .toList();
    }

    /// So that a client of a later build knows that this service is to be replaced.
    private static void noteBuild(HomeLayout layout, Path dist) throws IOException {
        String digest = System.getProperty("capsem.build", "");
        Files.writeString(layout.runDir().resolve("service.build"), digest.isEmpty() ? "" : dist + " " + digest + "\n");
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
