package dev.capsem.sandboxserver;

import dev.capsem.http.ErrorTable;
import dev.capsem.http.Front;
import dev.capsem.http.RouteTable;
import dev.capsem.http.RouteWatch;
import dev.capsem.sandboxserver.connect.ConnectApi;
import dev.capsem.sandboxserver.connect.GuestApi;
import dev.capsem.sandboxserver.exec.ExecApi;
import dev.capsem.sandboxserver.exec.Streams;
import dev.capsem.sandboxserver.files.FilesApi;
import dev.capsem.sandboxserver.files.GuestFiles;
import dev.capsem.sandboxserver.gateway.GatewayApi;
import dev.capsem.sandboxserver.gateway.GatewayEndpoint;
import dev.capsem.sandboxserver.gateway.GatewayGuard;
import dev.capsem.sandboxserver.gateway.GatewaySettings;
import dev.capsem.sandboxserver.gateway.GatewaySwitch;
import dev.capsem.sandboxserver.gateway.TokensApi;
import dev.capsem.sandboxserver.protocol.GuardedApi;
import dev.capsem.sandboxserver.protocol.GuardedRoute;
import dev.capsem.sandboxserver.protocol.SandboxServerTable;
import dev.capsem.sandboxserver.reach.Reach;
import dev.capsem.sandboxserver.repeat.IdempotencyKeys;
import dev.capsem.sandboxserver.sandboxes.EndReason;
import dev.capsem.sandboxserver.sandboxes.Leases;
import dev.capsem.sandboxserver.sandboxes.SandboxesApi;
import dev.capsem.sandboxserver.templates.Templates;
import dev.capsem.sandboxserver.templates.TemplatesApi;
import dev.capsem.sandboxserver.tokens.TokenStore;
import dev.capsem.sandboxserver.workspaces.Workspaces;
import dev.capsem.sandboxserver.workspaces.WorkspacesApi;
import dev.capsem.service.SandboxEngine;
import dev.capsem.service.files.SandboxFiles;
import dev.capsem.service.profiles.Profiles;
import dev.capsem.service.state.StateFile;
import dev.capsem.wire.service.StatusReply;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/// The sandbox-server API, put together over the sandboxes of the service.
public final class SandboxServerApi {
    private static final String TOKENS = "tokens.json";

    private final GatewayEndpoint endpoint = new GatewayEndpoint();
    private final Path directory;
    private final TokenStore tokens;
    private final TokensApi tokensApi;
    private final StateFile gatewayFile;
    private final Leases leases;
    private final SandboxServerTable server;
    private final Clock clock;

    /// @param directory where it keeps what must outlive a restart
    public SandboxServerApi(
            SandboxEngine host, Profiles profiles, Path directory, Clock clock, SecureRandom random, RouteWatch watch) {
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
                new EndReason(leases),
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
                new TemplatesApi(templates, profiles, host.sandboxes(), keys, reach::mayFork, clock),
                new ExecApi(host.commands(), streams),
                new FilesApi(files),
                new WorkspacesApi(workspaces),
                tokensApi,
                new ConnectApi(host.sandboxes(), host.commands(), files, streams),
                new GuestApi(host.commands(), streams));
    }

    /// The whole table, in the order of the reference.
    private static SandboxServerTable server(EndReason ended, Reach reach, RouteWatch watch, GuardedApi... apis) {
        List<GuardedRoute> routes = Arrays.stream(apis)
                .flatMap(api -> api.routes().stream())
                .map(one -> one.isAboutSandbox()
                        ? one.handledBy(ended.explained(one.route().handler()))
                        : one)
                .map(one -> one.handledBy(reach.checked(one.route().handler())))
                .toList();
        return new SandboxServerTable(routes, watch);
    }

    public SandboxServerTable server() {
        return server;
    }

    public GatewayEndpoint endpoint() {
        return endpoint;
    }

    /// What was found damaged here, for as long as it lies aside.
    public List<StatusReply.Problem> problems() {
        return Stream.of(directory, directory.resolve("workspaces"))
                .flatMap(folder -> StateFile.damagedIn(folder).stream())
                .map(SandboxServerApi::problem)
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
