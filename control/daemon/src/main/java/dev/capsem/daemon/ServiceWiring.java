package dev.capsem.daemon;

import dev.capsem.api.BudgetApi;
import dev.capsem.api.CommandApi;
import dev.capsem.api.ConfirmApi;
import dev.capsem.api.DiagnoseApi;
import dev.capsem.api.FileApi;
import dev.capsem.api.McpApi;
import dev.capsem.api.OperationsApi;
import dev.capsem.api.ProfileApi;
import dev.capsem.api.ProvisionWarnings;
import dev.capsem.api.RecordApi;
import dev.capsem.api.RuleApi;
import dev.capsem.api.RuntimeApi;
import dev.capsem.api.SandboxApi;
import dev.capsem.api.SecretApi;
import dev.capsem.api.ServiceApi;
import dev.capsem.api.ServiceErrors;
import dev.capsem.api.ServiceRoutes;
import dev.capsem.api.metrics.Metrics;
import dev.capsem.api.metrics.OperationWatch;
import dev.capsem.daemon.io.StaleDirectories;
import dev.capsem.dashboard.Dashboard;
import dev.capsem.dashboard.io.DashboardServer;
import dev.capsem.http.RouteTable;
import dev.capsem.http.io.HttpServer;
import dev.capsem.profiles.io.HostGrantValues;
import dev.capsem.profiles.io.ProfileException;
import dev.capsem.profiles.io.ProfileFolders;
import dev.capsem.profiles.io.ProfileSource;
import dev.capsem.profiles.io.SecretStore;
import dev.capsem.profiles.launch.SecretTool;
import dev.capsem.sandbox.SandboxDriver;
import dev.capsem.sandbox.workspace.KeptShelf;
import dev.capsem.sandboxserver.SandboxServerApi;
import dev.capsem.sandboxserver.io.Gateway;
import dev.capsem.service.SandboxEngine;
import dev.capsem.service.approvals.Approvals;
import dev.capsem.service.budgets.BudgetBook;
import dev.capsem.service.budgets.BudgetFeed;
import dev.capsem.service.budgets.BudgetOffice;
import dev.capsem.service.diagnose.HostLogs;
import dev.capsem.service.diagnose.Panics;
import dev.capsem.service.files.SandboxFiles;
import dev.capsem.service.grants.GrantDesk;
import dev.capsem.service.inspect.Inspections;
import dev.capsem.service.io.IpcConnector;
import dev.capsem.service.launch.ProcessLauncher;
import dev.capsem.service.limits.ServiceSettings;
import dev.capsem.service.overlay.RuntimeRules;
import dev.capsem.service.profiles.Profiles;
import dev.capsem.service.profiles.SessionPolicy;
import dev.capsem.service.records.DatabaseLedger;
import dev.capsem.service.records.DatabaseRecords;
import dev.capsem.service.registry.PersistentRegistry;
import dev.capsem.service.reload.RegistrySetup;
import dev.capsem.service.reload.Reloads;
import dev.capsem.service.rulecheck.RuleChecker;
import dev.capsem.service.rules.Backtests;
import dev.capsem.service.rules.HostsFile;
import dev.capsem.service.rules.RuleCounts;
import dev.capsem.service.rules.RuleQuestions;
import dev.capsem.service.sandboxes.Sandboxes;
import dev.capsem.service.state.StateFile;
import dev.capsem.telemetry.budget.BudgetDatabase;
import dev.capsem.telemetry.write.MainDatabase;
import dev.capsem.wire.HomeLayout;
import dev.capsem.wire.io.PanicLog;
import dev.capsem.wire.io.TaskScope;
import dev.capsem.wire.service.StatusReply;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// All parts of the service and how they hold together, from top to bottom.
final class ServiceWiring implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ServiceWiring.class);
    private static final String VERSION = "0.1.0";
    private static final Path MACHINE_DIRECTORY = Path.of("/etc/capsem");
    private static final Duration WATCH_EVERY = Duration.ofSeconds(1);
    /// Longer than a browser needs to connect a stream again.
    private static final Duration WATCHER_GRACE = Duration.ofSeconds(10);

    private final Host host;
    private final IpcConnector connector = new IpcConnector();
    private final RuleChecker checker = new RuleChecker();
    private final RuntimeRules overlay;
    private final TaskScope background;
    private final Profiles profiles;
    private final SessionPolicy policy;
    private final Inspections inspections = new Inspections();
    private final MainDatabase main;
    private final BudgetDatabase budgetFile;
    private final BudgetBook budgets;
    private final ProcessLauncher launcher;
    private final SandboxEngine engine;
    private final Reloads reloads;
    private final Approvals approvals;
    private final OperationWatch operations = new OperationWatch();
    private final SandboxServerApi sandboxServer;

    /// Facts about the machine and its user.
    ///
    /// @param dist where this build is installed
    /// @param userHome where the user's other tools keep their settings
    /// @param bootId changes with every boot of the machine
    record Host(
            HomeLayout layout,
            Path dist,
            ServiceSettings settings,
            SandboxDriver driver,
            Clock clock,
            SecureRandom random,
            String user,
            Path userHome,
            String bootId) {}

    ServiceWiring(Host host, PanicLog panics) throws IOException {
        this.host = host;
        HomeLayout layout = host.layout;
        overlay = RuntimeRules.open(layout.runDir(), checker);
        background = new TaskScope("policy", (thread, e) -> {
            panics.uncaughtException(thread, e);
            LOG.error("a background task failed", e);
        });
        // Read while the rest starts.
        profiles = new Profiles(
                ProfileFolders.of(layout.home(), MACHINE_DIRECTORY, host.userHome),
                layout.runDir(),
                checker,
                background::start);
        policy = new SessionPolicy(profiles, overlay);
        main = MainDatabase.open(layout.mainDatabase(), host.clock);
        budgetFile = BudgetDatabase.open(layout.mainDatabase().resolveSibling("budgets.db"));
        budgets = new BudgetBook(budgetFile, policy, host.clock, BudgetBook.LEASE);
        launcher = new ProcessLauncher(
                host.dist.resolve("bin").resolve("capsem-process"),
                layout,
                Map.of(
                        "CAPSEM_HOME",
                        layout.home().toString(),
                        "CAPSEM_RUN_DIR",
                        layout.runDir().toString()));
        engine = new SandboxEngine(new SandboxEngine.Surroundings(
                layout,
                host.userHome,
                host.settings,
                host.driver,
                PersistentRegistry.open(layout.registryFile()),
                new DatabaseLedger(main),
                connector,
                launcher,
                host.clock,
                host.random,
                VERSION,
                host.user,
                host.bootId,
                Runtime.getRuntime().maxMemory(),
                policy));
        engine.open();
        reloads = new Reloads(policy, engine.sandboxes(), connector, background);
        approvals = new Approvals(new Approvals.Surroundings(
                engine.sandboxes(),
                connector,
                background,
                profiles,
                reloads,
                host.clock,
                host.random,
                host.user,
                WATCHER_GRACE));
        engine.changes().add(reloads);
        approvals.begin(engine.changes());
        new BudgetFeed(engine.sandboxes(), connector, background, budgets).begin(engine.changes());
        sandboxServer = new SandboxServerApi(
                engine, profiles, layout.home().resolve("server"), host.clock, host.random, operations);
    }

    /// Serves until `end` is counted down.
    ///
    /// @param onServing told when clients can connect
    void serve(CountDownLatch end, Runnable onServing) throws IOException, InterruptedException {
        HomeLayout layout = host.layout;
        DashboardServer dashboardPort = new DashboardServer();
        Dashboard dashboard = new Dashboard(
                new StateFile(layout.home().resolve("server").resolve("ui.json")),
                dashboardPort,
                host.clock,
                host.random);
        RouteTable routes = routes(end::countDown, dashboard);
        background.start(sandboxServer::enforceDeadlines);
        try (DashboardServer _ = dashboardPort;
                Gateway gateway = new Gateway(
                        layout.runDir().resolve("gateway.port"), sandboxServer.endpoint(), sandboxServer::guard);
                HttpServer _ = HttpServer.start(
                        layout.serviceSocket(), sandboxServer.before(routes, gateway, new ServiceErrors()))) {
            sandboxServer.resume(gateway);
            dashboard.resume(routes);
            onServing.run();
            noteBuild();
            LOG.info("serving at {}", layout.serviceSocket());
            profiles.refreshWarmUp();
            engine.warmUp();
            background.start(reloads::adopted);
            background.start(new Panics(layout, new HostLogs(layout))::prune);
            background.start(() ->
                    new StaleDirectories(layout.tempDir(), Path.of("/proc"), host.clock()).remove(layout.shortDir()));
            background.start(() -> new KeptShelf(layout.keptDir()).prune(Instant.now()));
            background.start(new RegistrySetup(profiles.folders(), reloads));
            ProfileSource.Watch watch = profiles.watch(WATCH_EVERY, reloads::changed);
            end.await();
            watch.close();
            LOG.info("ending");
        }
    }

    /// The service's own API, in the order of the reference.
    private RouteTable routes(Runnable shutdown, Dashboard dashboard) {
        Sandboxes sandboxes = engine.sandboxes();
        RuleQuestions questions = new RuleQuestions(policy, checker, new HostsFile(Path.of("/etc/hosts")));
        RuleCounts counts = new RuleCounts(connector);
        DatabaseRecords records = new DatabaseRecords(main);
        ProvisionWarnings warnings = new ProvisionWarnings(profiles, host.driver::abilities);
        int sandboxesMax = host.settings.sandboxesMax();
        return ServiceRoutes.table(
                operations,
                new ServiceApi(
                        engine, host.driver, host.layout, VERSION, sandboxesMax, host.clock, this::faults, shutdown),
                new SandboxApi(sandboxes, engine.views(), warnings, engine.activities()),
                new CommandApi(sandboxes, engine.commands(), warnings),
                new FileApi(new SandboxFiles(sandboxes, engine.commands())),
                new RecordApi(sandboxes, records),
                new OperationsApi(
                        sandboxes,
                        records,
                        new Metrics(engine, connector, approvals::waiting, operations, sandboxesMax, host.clock),
                        VERSION),
                new DiagnoseApi(sandboxes, host.layout, inspections, records, host.clock),
                new ConfirmApi(approvals, reloads),
                new RuleApi(sandboxes, profiles, questions, counts, reloads),
                new RuntimeApi(overlay, reloads, new Backtests(checker), counts, sandboxes),
                new ProfileApi(profiles, questions, reloads),
                secretApi(),
                new BudgetApi(new BudgetOffice(budgets, profiles, reloads, sandboxes)),
                new McpApi(sandboxes, connector),
                dashboard);
    }

    private SecretApi secretApi() {
        SecretTool keyring = new SecretTool();
        SecretStore store = new SecretStore(host.layout.home().resolve("secrets.json"), keyring);
        background.start(() -> sealSecrets(store));
        return new SecretApi(
                store,
                new GrantDesk(profiles, reloads, new HostGrantValues(store, keyring, System.getenv(), host.clock)),
                host.clock);
    }

    /// A store from before is in clear.
    private static void sealSecrets(SecretStore store) {
        try {
            if (store.seal()) {
                LOG.info("secrets.json is encrypted now; its key is in secrets.key");
            }
        } catch (ProfileException e) {
            LOG.warn("secrets.json cannot be encrypted: {}", e.getMessage());
        }
    }

    private List<StatusReply.Problem> faults() {
        List<String> inUse = engine.sandboxes().all().stream()
                .filter(sandbox -> sandbox.status().isLive())
                .map(sandbox -> sandbox.facts().profileId())
                .toList();
        return Stream.of(engine.shortage().stream(), sandboxServer.problems().stream(), profiles.faults(inUse).stream())
                .flatMap(each -> each)
                .toList();
    }

    /// So that a client of a later build knows that this service is to be replaced.
    private void noteBuild() throws IOException {
        String digest = System.getProperty("capsem.build", "");
        Files.writeString(
                host.layout.runDir().resolve("service.build"), digest.isEmpty() ? "" : host.dist + " " + digest + "\n");
    }

    /// The sandboxes go on.
    @Override
    public void close() {
        try (TaskScope _ = background;
                Inspections _ = inspections;
                MainDatabase _ = main;
                BudgetDatabase _ = budgetFile;
                ProcessLauncher _ = launcher;
                SandboxEngine _ = engine) {
            LOG.debug("closing");
        }
    }
}
