package dev.capsem.service.v1.routes;

import dev.capsem.service.files.SandboxFiles;
import dev.capsem.service.http.ErrorTable;
import dev.capsem.service.http.Front;
import dev.capsem.service.http.RouteTable;
import dev.capsem.service.http.RouteWatch;
import dev.capsem.service.profiles.Profiles;
import dev.capsem.service.sandboxes.SandboxHost;
import dev.capsem.service.v1.GuardedApi;
import dev.capsem.service.v1.GuardedRoute;
import dev.capsem.service.v1.SandboxServer;
import dev.capsem.service.v1.connect.ConnectApi;
import dev.capsem.service.v1.connect.GuestApi;
import dev.capsem.service.v1.exec.ExecApi;
import dev.capsem.service.v1.exec.Streams;
import dev.capsem.service.v1.files.FilesApi;
import dev.capsem.service.v1.files.GuestFiles;
import dev.capsem.service.v1.gateway.Endpoint;
import dev.capsem.service.v1.gateway.GatewayApi;
import dev.capsem.service.v1.gateway.GatewayGuard;
import dev.capsem.service.v1.gateway.GatewaySettings;
import dev.capsem.service.v1.gateway.GatewaySwitch;
import dev.capsem.service.v1.gateway.TokensApi;
import dev.capsem.service.v1.reach.Reach;
import dev.capsem.service.v1.repeat.IdempotencyKeys;
import dev.capsem.service.v1.sandboxes.Ended;
import dev.capsem.service.v1.sandboxes.Leases;
import dev.capsem.service.v1.sandboxes.SandboxesApi;
import dev.capsem.service.v1.state.StateFile;
import dev.capsem.service.v1.templates.Templates;
import dev.capsem.service.v1.templates.TemplatesApi;
import dev.capsem.service.v1.tokens.TokenStore;
import dev.capsem.service.v1.workspaces.Workspaces;
import dev.capsem.service.v1.workspaces.WorkspacesApi;
import dev.capsem.wire.service.StatusReply;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/// The sandbox-server API, put together over the sandboxes of the service.
public final class SandboxServerParts {
    private static final String TOKENS = "tokens.json";

    private final Endpoint endpoint = new Endpoint();
    private final Path directory;
    private final TokenStore tokens;
    private final TokensApi tokensApi;
    private final StateFile gatewayFile;
    private final Leases leases;
    private final SandboxServer server;
    private final Clock clock;

    /// @param directory where it keeps what must outlive a restart
    public SandboxServerParts(
            SandboxHost host, Profiles profiles, Path directory, Clock clock, SecureRandom random, RouteWatch watch) {
        this.directory = directory;
        this.clock = clock;
        tokens = TokenStore.open(new StateFile(directory.resolve(TOKENS)), clock, random);
        tokensApi = new TokensApi(tokens, profiles, clock);
        gatewayFile = new StateFile(directory.resolve("gateway.json"));
        leases = new Leases(new StateFile(directory.resolve("leases.json")), host.sandboxes(), clock);
        host.changes().add(leases);
        IdempotencyKeys keys = new IdempotencyKeys(new StateFile(directory.resolve("idempotency.json")), clock);
        Templates templates =
                new Templates(new StateFile(directory.resolve("templates.json")), profiles, host.sandboxes());
        Reach reach = new Reach(host.sandboxes(), templates, profiles);
        GuestFiles files = new GuestFiles(new SandboxFiles(host.sandboxes(), host.commands()), host.commands());
        Streams streams = new Streams();
        Workspaces workspaces = new Workspaces(directory.resolve("workspaces"), host.commands(), clock);
        host.changes().add(workspaces);
        server = server(
                new Ended(leases),
                reach,
                watch,
                new SandboxesApi(
                        host.sandboxes(),
                        templates,
                        reach,
                        leases,
                        keys,
                        workspaces,
                        () -> endpoint.url().orElse(""),
                        clock),
                new TemplatesApi(templates, profiles, host.sandboxes(), keys, clock),
                new ExecApi(host.commands(), streams),
                new FilesApi(files),
                new WorkspacesApi(workspaces),
                tokensApi,
                new ConnectApi(host.sandboxes(), host.commands(), files, streams),
                new GuestApi(host.commands(), streams));
    }

    /// The whole table, in the order of the reference.
    private static SandboxServer server(Ended ended, Reach reach, RouteWatch watch, GuardedApi... apis) {
        List<GuardedRoute> routes = Arrays.stream(apis)
                .flatMap(api -> api.routes().stream())
                .map(one -> one.isAboutSandbox()
                        ? one.handledBy(ended.explained(one.route().handler()))
                        : one)
                .map(one -> one.handledBy(reach.checked(one.route().handler())))
                .toList();
        return new SandboxServer(routes, watch);
    }

    public SandboxServer server() {
        return server;
    }

    public Endpoint endpoint() {
        return endpoint;
    }

    /// What was found damaged here, for as long as it lies aside.
    public List<StatusReply.Problem> problems() {
        return Stream.of(directory, directory.resolve("workspaces"))
                .flatMap(folder -> StateFile.damagedIn(folder).stream())
                .map(SandboxServerParts::problem)
                .toList();
    }

    private static StatusReply.Problem problem(Path damaged) {
        String name = StateFile.nameBefore(damaged);
        boolean isTokens = name.equals(TOKENS);
        return new StatusReply.Problem(
                "damaged_file",
                name + " of the sandbox server was damaged"
                        + (isTokens ? "; the tokens in it are refused" : "; what it said is not in force"),
                "repair " + damaged + " and put it back as " + name
                        + " before the next start of the service, or delete it"
                        + (isTokens ? " and make new tokens: `capsem token create`" : ""));
    }

    /// What the gateway puts before the API when it is to serve so.
    public Front guard(GatewaySettings settings) {
        return new GatewayGuard(server, tokens, settings, clock);
    }

    private GatewayApi gatewayApi(GatewaySwitch gateway) {
        return new GatewayApi(gatewayFile, gateway, endpoint);
    }

    /// What the Unix socket serves: this API, its administration, and all the rest.
    ///
    /// @param errors in which the administration speaks, like all the rest
    public Front before(Front others, GatewaySwitch gateway, ErrorTable errors) {
        RouteTable owner = new RouteTable(
                Stream.concat(tokensApi.ownerRoutes().stream(), gatewayApi(gateway).routes().stream())
                        .toList(),
                RouteTable.JSON_BYTES_MAX,
                errors,
                RouteWatch.NONE);
        return server.before(
                request -> owner.find(request).isPresent() ? owner.handle(request) : others.handle(request));
    }

    /// The gateway as it was left.
    public void resume(GatewaySwitch gateway) {
        gatewayApi(gateway).resume();
    }

    /// Runs until interrupted.
    public void enforceDeadlines() {
        leases.enforce();
    }
}
