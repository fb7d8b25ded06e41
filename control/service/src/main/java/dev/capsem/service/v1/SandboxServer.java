package dev.capsem.service.v1;

import dev.capsem.service.http.Answer;
import dev.capsem.service.http.Front;
import dev.capsem.service.http.Refusal;
import dev.capsem.service.http.Request;
import dev.capsem.service.http.Route;
import dev.capsem.service.http.RouteTable;
import dev.capsem.wire.json.JsonShapeException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// All routes of the sandbox-server API with who may take them. Whatever goes wrong below becomes the answer that its
/// protocol prescribes.
public final class SandboxServer implements Front {
    /// Holds a file of 10 MiB in base64 with its envelope.
    public static final int JSON_BYTES_MAX = 16 * 1_048_576;

    private static final Logger LOG = LoggerFactory.getLogger(SandboxServer.class);

    /// One route and who may take it.
    public record Guarded(Access access, Route route) {}

    private final List<Guarded> guarded;
    private final RouteTable table;
    private final Map<Route, Access> access = new HashMap<>();

    public SandboxServer(List<Guarded> guarded) {
        this.guarded = List.copyOf(guarded);
        this.table = new RouteTable(guarded.stream().map(Guarded::route).toList(), JSON_BYTES_MAX);
        guarded.forEach(one -> access.put(one.route, one.access));
    }

    public List<Guarded> routes() {
        return guarded;
    }

    public static boolean owns(String path) {
        return path.startsWith("/v1/") || Dialect.isConnect(path);
    }

    /// Paths that no route has are as guarded as most: who may see nothing does not learn what there is.
    public Access accessTo(Request request) {
        return table.find(request).map(access::get).orElse(Access.READ);
    }

    @Override
    public Answer handle(Request request) {
        try {
            return table.handle(request);
        } catch (ApiProblem e) {
            return Dialect.answer(request, e);
        } catch (Refusal e) {
            return Dialect.answer(request, ApiProblem.of(e, Dialect.failed(request.path())));
        } catch (JsonShapeException e) {
            return Dialect.answer(request, ApiProblem.of(e));
        } catch (Answer.ClientGoneException e) {
            throw e;
        } catch (RuntimeException e) {
            LOG.error("{} {} failed", request.method(), request.path(), e);
            return Dialect.answer(
                    request, new ApiProblem(ApiProblem.Code.INTERNAL, "the service failed", "see `capsem triage`"));
        }
    }

    /// The same routes before all others of the service, on its Unix socket.
    public Front before(Front others) {
        return request -> owns(request.path()) ? handle(request) : others.handle(request);
    }
}
