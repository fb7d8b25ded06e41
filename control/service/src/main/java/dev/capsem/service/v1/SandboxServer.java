package dev.capsem.service.v1;

import dev.capsem.service.http.Answer;
import dev.capsem.service.http.Front;
import dev.capsem.service.http.Refusal;
import dev.capsem.service.http.Request;
import dev.capsem.service.http.Route;
import dev.capsem.service.http.RouteTable;
import dev.capsem.service.http.RouteWatch;
import dev.capsem.wire.json.JsonShapeException;
import java.time.Duration;
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
    private final RouteWatch watch;
    private final Map<Route, Access> access = new HashMap<>();

    /// @param watch told of every request, with the status that its problem has, also where a stream says it later
    public SandboxServer(List<Guarded> guarded, RouteWatch watch) {
        this.guarded = List.copyOf(guarded);
        this.table = new RouteTable(guarded.stream().map(Guarded::route).toList(), JSON_BYTES_MAX);
        this.watch = watch;
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
        long start = System.nanoTime();
        try {
            Answer answer = table.handle(request);
            answered(request, start, answer.status(), "");
            return answer;
        } catch (ApiProblem e) {
            return refused(request, start, e);
        } catch (Refusal e) {
            return refused(request, start, ApiProblem.of(e, Dialect.failed(request.path())));
        } catch (JsonShapeException e) {
            return refused(request, start, ApiProblem.of(e));
        } catch (Answer.ClientGoneException e) {
            answered(request, start, ApiProblem.Code.CANCELED.status(), ApiProblem.Code.CANCELED.wireName());
            throw e;
        } catch (RuntimeException e) {
            LOG.error("{} {} failed", request.method(), request.path(), e);
            return refused(
                    request,
                    start,
                    new ApiProblem(ApiProblem.Code.INTERNAL, "the service failed", "see `capsem triage`"));
        }
    }

    private Answer refused(Request request, long start, ApiProblem problem) {
        answered(request, start, problem.status(), problem.code().wireName());
        return Dialect.answer(request, problem);
    }

    private void answered(Request request, long start, int status, String code) {
        Duration took = Duration.ofNanos(System.nanoTime() - start);
        table.find(request).ifPresent(route -> watch.answered(route, status, code, took));
    }

    /// The same routes before all others of the service, on its Unix socket.
    public Front before(Front others) {
        return request -> owns(request.path()) ? handle(request) : others.handle(request);
    }
}
