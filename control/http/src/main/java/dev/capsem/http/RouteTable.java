package dev.capsem.http;

import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonShapeException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import tools.jackson.databind.JsonNode;

/// Finds the route of a request, reads its body as the route wants it, and calls its handler. What goes wrong is said
/// as the API's [ErrorTable] has it.
public final class RouteTable implements Front {
    /// Holds an exec request with environment and standard input; files have their own limit.
    public static final int JSON_BYTES_MAX = 2 * 1_048_576;

    private final List<Route> routes;
    private final int jsonBytesMax;
    private final ErrorTable errors;
    private final RouteWatch watch;

    /// @param watch told of every request that found its route
    public RouteTable(List<Route> routes, int jsonBytesMax, ErrorTable errors, RouteWatch watch) {
        this.routes = List.copyOf(routes);
        this.jsonBytesMax = jsonBytesMax;
        this.errors = errors;
        this.watch = watch;
    }

    public List<Route> routes() {
        return routes;
    }

    /// The route that a request would take.
    public Optional<Route> find(Request request) {
        List<String> segments = Route.segments(request.path());
        return routes.stream()
                .filter(route -> route.method().equals(request.method()))
                .filter(route -> route.match(segments).isPresent())
                .findFirst();
    }

    @Override
    public HttpAnswer handle(Request request) {
        List<String> segments = Route.segments(request.path());
        TreeSet<String> methods = new TreeSet<>();
        for (Route route : routes) {
            Optional<Map<String, String>> variables = route.match(segments);
            if (variables.isPresent() && route.method().equals(request.method())) {
                return watched(route, request, variables.get());
            }
            variables.ifPresent(_ -> methods.add(route.method()));
        }
        return errors.tell(request, noRoute(request, methods)).answer();
    }

    private static HttpProblem noRoute(Request request, Set<String> methods) {
        return methods.isEmpty()
                ? new HttpProblem(
                        HttpProblem.Code.ROUTE_NOT_FOUND,
                        "there is no route " + request.method() + " " + request.path(),
                        "see docs/reference/service-api.md for all routes")
                : new HttpProblem(
                        HttpProblem.Code.METHOD_NOT_ALLOWED,
                        request.method() + " is not for " + request.path(),
                        "use " + String.join(" or ", methods));
    }

    private HttpAnswer watched(Route route, Request request, Map<String, String> variables) {
        long start = System.nanoTime();
        int status = HttpAnswer.ClientGoneException.STATUS;
        String code = HttpAnswer.ClientGoneException.CODE;
        try {
            HttpAnswer answer = route.handler().handle(new RouteCall(request, variables, json(route, request)));
            status = answer.status();
            code = "";
            return answer;
        } catch (HttpAnswer.ClientGoneException e) {
            throw e;
        } catch (RuntimeException e) {
            ErrorTable.Told told = errors.tell(request, e);
            status = told.status();
            code = told.code();
            return told.answer();
        } finally {
            watch.answered(route, status, code, Duration.ofNanos(System.nanoTime() - start));
        }
    }

    private JsonNode json(Route route, Request request) {
        return switch (route.body()) {
            case NONE, BYTES -> Json.object();
            case OPTIONAL_JSON -> {
                byte[] body = request.body().read(jsonBytesMax);
                yield body.length == 0 ? Json.object() : parse(body);
            }
            case JSON -> {
                if (!isJson(request.contentType())) {
                    throw new HttpProblem(
                            HttpProblem.Code.NOT_JSON,
                            "this route takes a JSON body",
                            "send it with Content-Type: application/json");
                }
                yield parse(request.body().read(jsonBytesMax));
            }
        };
    }

    private static boolean isJson(Optional<String> contentType) {
        return contentType
                .map(value -> value.toLowerCase(Locale.ROOT).split(";", 2)[0].strip())
                .filter(value -> value.equals("application/json") || value.endsWith("+json"))
                .isPresent();
    }

    private static JsonNode parse(byte[] body) {
        try {
            return Json.parse(body);
        } catch (JsonShapeException e) {
            throw new HttpProblem(HttpProblem.Code.BAD_JSON, "the body is " + e.reason(), "send one JSON document", e);
        }
    }
}
