package dev.capsem.sandboxserver.protocol;

import dev.capsem.http.Front;
import dev.capsem.http.HttpAnswer;
import dev.capsem.http.Request;
import dev.capsem.http.Route;
import dev.capsem.http.RouteTable;
import dev.capsem.http.RouteWatch;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// All routes of the sandbox-server API with who may take them.
public final class SandboxServerTable implements Front {
    /// Holds a file of 10 MiB in base64 with its envelope.
    public static final int JSON_BYTES_MAX = 16 * 1_048_576;

    private final List<GuardedRoute> guarded;
    private final RouteTable table;
    private final RouteWatch watch;
    private final Map<Route, Access> access = new HashMap<>();

    /// @param watch told of every request, with the status that its problem has, also where a stream says it later
    public SandboxServerTable(List<GuardedRoute> guarded, RouteWatch watch) {
        this.guarded = List.copyOf(guarded);
        this.watch = watch;
        this.table = new RouteTable(
                guarded.stream().map(GuardedRoute::route).toList(), JSON_BYTES_MAX, new SandboxServerErrors(), watch);
        guarded.forEach(one -> access.put(one.route(), one.access()));
    }

    public List<GuardedRoute> routes() {
        return guarded;
    }

    public static boolean owns(String path) {
        return path.startsWith("/v1/") || Dialect.isConnect(path);
    }

    /// Paths that no route has are as guarded as most: who may see nothing does not learn what there is.
    public Access accessTo(Request request) {
        return table.find(request).map(access::get).orElse(Access.READ);
    }

    /// One that was refused before its route was taken is watched as well.
    public void refused(Request request, ApiProblem problem) {
        table.find(request)
                .ifPresent(route ->
                        watch.answered(route, problem.status(), problem.code().wireName(), Duration.ZERO));
    }

    @Override
    public HttpAnswer handle(Request request) {
        return table.handle(request);
    }

    /// The same routes before all others of the service, on its Unix socket.
    public Front before(Front others) {
        return request -> owns(request.path()) ? handle(request) : others.handle(request);
    }
}
