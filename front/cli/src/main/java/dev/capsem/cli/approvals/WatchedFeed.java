package dev.capsem.cli.approvals;

import dev.capsem.client.ApprovalFeed;
import dev.capsem.client.SandboxService;
import dev.capsem.client.io.ServiceCallException;
import java.util.Optional;

/// A feed of which the service is known to count the reader as somebody to ask.
public final class WatchedFeed implements ApprovalFeed {
    private final ApprovalFeed feed;
    private Optional<Change> first;

    private WatchedFeed(ApprovalFeed feed) {
        this.feed = feed;
        this.first = feed.next();
    }

    /// Returns when whoever sits here is counted: a command that starts afterwards finds somebody to ask. Without a
    /// service nothing can be asked, and what would have been is blocked.
    public static WatchedFeed of(SandboxService service, String sandbox) {
        try {
            return new WatchedFeed(service.approvals(sandbox, true));
        } catch (ServiceCallException gone) {
            return new WatchedFeed(ApprovalFeed.NONE);
        }
    }

    /// The same for the questions of all sandboxes. Throws [ServiceCallException] without a service.
    static WatchedFeed ofAll(SandboxService service) {
        return new WatchedFeed(service.approvals());
    }

    @Override
    public Optional<Change> next() {
        Optional<Change> next = first;
        first = Optional.empty();
        return next.isPresent() ? next : feed.next();
    }

    @Override
    public void close() {
        feed.close();
    }
}
