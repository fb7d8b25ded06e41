package dev.capsem.sandboxserver.sandboxes;

import dev.capsem.http.Route;
import dev.capsem.http.RouteCall;
import dev.capsem.sandboxserver.protocol.ApiProblem;
import dev.capsem.service.problem.ServiceProblem;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/// Says of a sandbox that is not there whether it ended at its deadline.
public final class EndReason {
    private final Leases leases;

    public EndReason(Leases leases) {
        this.leases = leases;
    }

    public Route.Handler explained(Route.Handler handler) {
        return call -> {
            try {
                return handler.handle(call);
            } catch (ServiceProblem e) {
                String id = asked(call).orElse("");
                if (e.code() != ServiceProblem.Code.SANDBOX_NOT_FOUND && !leases.isExpired(id)) {
                    throw e;
                }
                throw problem(id);
            }
        };
    }

    private static Optional<String> asked(RouteCall call) {
        return Optional.ofNullable(call.variables().get("id"))
                .or(() -> Optional.ofNullable(call.json().get("sandbox")).map(JsonNode::asString))
                .or(() -> call.request().headers().first("X-Sandbox-Id"));
    }

    private ApiProblem problem(String name) {
        if (leases.isExpired(name)) {
            return new ApiProblem(
                            ApiProblem.Code.IDLE_TIMEOUT,
                            "the sandbox ended at its deadline",
                            "create another, with a later deadline: POST /v1/fork, POST /v1/set_timeout")
                    .with("sandbox", name);
        }
        return new ApiProblem(
                        ApiProblem.Code.NOT_FOUND, "there is no such sandbox", "see which there are: GET /v1/sandboxes")
                .because("no sandbox is called " + name)
                .with("sandbox", name);
    }
}
