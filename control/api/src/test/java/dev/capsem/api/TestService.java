package dev.capsem.api;

import dev.capsem.api.metrics.Metrics;
import dev.capsem.api.metrics.OperationWatch;
import dev.capsem.http.RouteTable;
import dev.capsem.profiles.io.HostGrantValues;
import dev.capsem.profiles.io.SecretStore;
import dev.capsem.profiles.secret.Keyring;
import dev.capsem.service.FakeHost;
import dev.capsem.service.FakeRecords;
import dev.capsem.service.SandboxEngine;
import dev.capsem.service.approvals.Approvals;
import dev.capsem.service.budgets.BudgetBook;
import dev.capsem.service.budgets.BudgetOffice;
import dev.capsem.service.files.SandboxFiles;
import dev.capsem.service.grants.GrantDesk;
import dev.capsem.service.inspect.Inspections;
import dev.capsem.service.reload.Reloads;
import dev.capsem.service.rulecheck.RuleChecker;
import dev.capsem.service.rules.Backtests;
import dev.capsem.service.rules.HostsFile;
import dev.capsem.service.rules.RuleCounts;
import dev.capsem.service.rules.RuleQuestions;
import dev.capsem.telemetry.budget.BudgetDatabase;
import dev.capsem.wire.io.TaskScope;
import java.time.Clock;
import java.time.Duration;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Random;

/// Everything behind the routes, as `ServiceMain` puts it together, over a [FakeHost].
public final class TestService implements AutoCloseable {
    private final TaskScope background =
            new TaskScope("test", (thread, e) -> thread.getThreadGroup().uncaughtException(thread, e));
    private final SandboxEngine host;
    private final Reloads reloads;
    private final Approvals approvals;
    private final OperationWatch operations = new OperationWatch();
    private final Inspections inspections = new Inspections();
    private final RouteTable routes;

    public TestService(FakeHost fake, SandboxEngine host, Runnable end) {
        this.host = host;
        Clock clock = Clock.fixed(FakeHost.NOW, ZoneOffset.UTC);
        reloads = new Reloads(fake.policy(), host.sandboxes(), fake.processes(), background);
        approvals = new Approvals(new Approvals.Surroundings(
                host.sandboxes(),
                fake.processes(),
                background,
                fake.policy().profiles(),
                reloads,
                clock,
                new Random(5),
                "tester",
                Duration.ofMillis(100)));
        RuleChecker checker = new RuleChecker();
        RuleQuestions questions = new RuleQuestions(
                fake.policy(), checker, new HostsFile(fake.layout().home().resolve("hosts")));
        RuleCounts counts = new RuleCounts(fake.processes());
        ProvisionWarnings warnings = new ProvisionWarnings(fake.policy().profiles(), fake.driver()::abilities);
        routes = ServiceRoutes.table(
                operations,
                new ServiceApi(
                        host,
                        fake.driver(),
                        fake.layout(),
                        "0.1.0",
                        4,
                        clock,
                        () -> fake.policy().profiles().faults(List.of()),
                        end),
                new SandboxApi(host.sandboxes(), host.views(), warnings, host.activities()),
                new CommandApi(host.sandboxes(), host.commands(), warnings),
                new FileApi(new SandboxFiles(host.sandboxes(), host.commands())),
                new RecordApi(host.sandboxes(), new FakeRecords()),
                new OperationsApi(
                        host.sandboxes(),
                        new FakeRecords(),
                        new Metrics(host, fake.processes(), approvals::waiting, operations, 4, clock),
                        "0.1.0"),
                new DiagnoseApi(host.sandboxes(), fake.layout(), inspections, new FakeRecords(), clock),
                new ConfirmApi(approvals, reloads),
                new RuleApi(host.sandboxes(), fake.policy().profiles(), questions, counts, reloads),
                new RuntimeApi(fake.policy().overlay(), reloads, new Backtests(checker), counts, host.sandboxes()),
                new ProfileApi(fake.policy().profiles(), questions, reloads),
                secretApi(fake, clock),
                budgetApi(fake, host, clock),
                new McpApi(host.sandboxes(), fake.processes()));
    }

    private BudgetApi budgetApi(FakeHost fake, SandboxEngine host, InstantSource clock) {
        BudgetDatabase file = BudgetDatabase.open(fake.layout().home().resolve("budgets.db"));
        BudgetBook book = new BudgetBook(file, fake.policy(), clock, BudgetBook.LEASE);
        return new BudgetApi(new BudgetOffice(book, fake.policy().profiles(), reloads, host.sandboxes()));
    }

    private SecretApi secretApi(FakeHost fake, InstantSource clock) {
        SecretStore store = new SecretStore(fake.layout().home().resolve("secrets.json"));
        return new SecretApi(
                store,
                new GrantDesk(
                        fake.policy().profiles(),
                        reloads,
                        new HostGrantValues(store, Keyring.NONE, Map.of("API_KEY", "value-of-the-key"), clock)),
                clock);
    }

    /// From now on sandboxes are attended and told of changes.
    public TestService begin() {
        host.changes().add(reloads);
        approvals.begin(host.changes());
        return this;
    }

    public RouteTable routes() {
        return routes;
    }

    public Reloads reloads() {
        return reloads;
    }

    public Approvals approvals() {
        return approvals;
    }

    @Override
    public void close() {
        inspections.close();
        background.close();
    }
}
