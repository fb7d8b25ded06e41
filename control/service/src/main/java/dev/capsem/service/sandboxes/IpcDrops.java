package dev.capsem.service.sandboxes;

import dev.capsem.service.http.Refusal;
import dev.capsem.wire.SandboxId;
import dev.capsem.wire.io.IpcException;
import dev.capsem.wire.ipc.IpcProtocol;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Counts and logs every connection to a sandbox that was lost in the middle of something, always under the
/// same name.
public final class IpcDrops {
    private static final Logger LOG = LoggerFactory.getLogger(IpcDrops.class);

    private final AtomicLong count = new AtomicLong();

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
                .log(IpcProtocol.DROPPED_EVENT);
    }

    Refusal refuse(SandboxId id, String operation, IpcException e) {
        record(id, operation, e);
        return lost(id, operation);
    }

    /// The other side closed in the middle of an operation.
    Refusal closed(SandboxId id, String operation) {
        record(id, operation, new IpcException(IpcException.Code.LOST, "closed"));
        return lost(id, operation);
    }

    private static Refusal lost(SandboxId id, String operation) {
        return new Refusal(
                Refusal.Code.SANDBOX_LOST,
                "the sandbox " + id + " was lost during " + operation,
                "see what became of it: `capsem info " + id + "` and `capsem logs " + id + "`");
    }
}
