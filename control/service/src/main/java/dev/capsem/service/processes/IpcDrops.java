package dev.capsem.service.processes;

import dev.capsem.service.limits.Endings;
import dev.capsem.service.problem.ServiceProblem;
import dev.capsem.wire.SandboxId;
import dev.capsem.wire.io.IpcException;
import dev.capsem.wire.ipc.IpcProtocol;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Counts and logs every connection to a sandbox that was lost in the middle of something, always under the
/// same name.
public final class IpcDrops {
    private static final Logger LOG = LoggerFactory.getLogger(IpcDrops.class);

    private final AtomicLong count = new AtomicLong();
    private final Endings endings;

    public IpcDrops(Endings endings) {
        this.endings = endings;
    }

    public long count() {
        return count.get();
    }

    void record(SandboxId id, String operation, IpcException e) {
        count.incrementAndGet();
        LOG.atWarn()
                .addKeyValue("event", IpcProtocol.DROPPED_EVENT)
                .addKeyValue("sandbox", id.value())
                .addKeyValue("operation", operation)
                .addKeyValue("code", e.code().name())
                .addKeyValue("cause", cause(e))
                .log(IpcProtocol.DROPPED_EVENT);
    }

    /// Where it broke: nobody there, closed by the other side, or given up by us (an asynchronous close).
    private static String cause(IpcException e) {
        return e.getCause() == null ? String.valueOf(e.getMessage()) : e.getMessage() + ": " + e.getCause();
    }

    public ServiceProblem refuse(SandboxId id, String operation, IpcException e) {
        record(id, operation, e);
        return lost(id, operation);
    }

    /// The other side closed in the middle of an operation.
    public ServiceProblem closed(SandboxId id, String operation) {
        record(id, operation, new IpcException(IpcException.Code.LOST, "closed"));
        return lost(id, operation);
    }

    /// Why it is gone, if it was stopped at a limit.
    public Optional<ServiceProblem> stopped(SandboxId id) {
        return endings.of(id).map(reason -> gone(id, "the sandbox " + id + " was " + reason));
    }

    private ServiceProblem lost(SandboxId id, String operation) {
        return stopped(id).orElseGet(() -> gone(id, "the sandbox " + id + " was lost during " + operation));
    }

    private static ServiceProblem gone(SandboxId id, String cause) {
        return new ServiceProblem(
                ServiceProblem.Code.SANDBOX_LOST,
                cause,
                "see what became of it: `capsem info " + id + "` and `capsem logs " + id + "`");
    }
}
