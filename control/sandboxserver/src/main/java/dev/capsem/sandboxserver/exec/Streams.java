package dev.capsem.sandboxserver.exec;

import dev.capsem.sandboxserver.protocol.ApiProblem;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/// Counts what streams at the same time out of one sandbox.
public final class Streams {
    static final int PER_SANDBOX_MAX = 16;

    private final Map<String, Integer> open = new ConcurrentHashMap<>();

    /// A stream's permission to be open; closing it twice counts once.
    public final class Place implements AutoCloseable {
        private final String sandbox;
        private boolean taken = true;

        private Place(String sandbox) {
            this.sandbox = sandbox;
        }

        @Override
        public synchronized void close() {
            if (taken) {
                taken = false;
                open.computeIfPresent(sandbox, (_, count) -> count == 1 ? null : count - 1);
            }
        }
    }

    public Place take(String sandbox) {
        int now = open.merge(sandbox, 1, Integer::sum);
        Place place = new Place(sandbox);
        if (now > PER_SANDBOX_MAX) {
            place.close();
            throw new ApiProblem(
                            ApiProblem.Code.TOO_MANY_STREAMS,
                            PER_SANDBOX_MAX + " streams are open on this sandbox, which is the limit",
                            "wait for one to end, or use POST /v1/exec")
                    .with("sandbox", sandbox)
                    .with("limit", PER_SANDBOX_MAX);
        }
        return place;
    }
}
