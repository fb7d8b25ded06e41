package dev.capsem.sandboxserver.protocol;

import dev.capsem.http.ErrorTable;
import dev.capsem.http.HttpProblem;
import dev.capsem.http.Request;
import dev.capsem.service.problem.ServiceProblem;
import dev.capsem.wire.json.JsonShapeException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Every failure becomes the answer that the protocol of the request prescribes.
final class SandboxServerErrors implements ErrorTable {
    private static final Logger LOG = LoggerFactory.getLogger(SandboxServerErrors.class);

    @Override
    public Told tell(Request request, RuntimeException problem) {
        ApiProblem told = problem(request, problem);
        return new Told(told.status(), told.code().wireName(), Dialect.answer(request, told));
    }

    private static ApiProblem problem(Request request, RuntimeException problem) {
        return switch (problem) {
            case ApiProblem own -> own;
            case ServiceProblem refused -> ApiProblem.of(refused, Dialect.failed(request.path()));
            case HttpProblem malformed -> ApiProblem.of(malformed);
            case JsonShapeException misshapen -> ApiProblem.of(misshapen);
            default -> {
                LOG.error("{} {} failed", request.method(), request.path(), problem);
                yield new ApiProblem(ApiProblem.Code.INTERNAL, "the service failed", "see `capsem triage`");
            }
        };
    }
}
