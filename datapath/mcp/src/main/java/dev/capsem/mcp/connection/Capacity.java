package dev.capsem.mcp.connection;

import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;

/// The capacity that all connections of a sandbox share. A caller that finds none waits, so that a guest that asks for
/// more than there is makes itself wait, and not this process grow. Safe for many threads.
public final class Capacity {
    private static final int KIBIBYTE = 1024;

    /// Questions of servers that clients have not answered yet. Each is kept whole until then, for minutes.
    static final int SERVER_QUESTIONS_MAX = 64;

    private final Semaphore connections;
    private final int requestsMax;
    private final Semaphore requests;
    /// In KiB.
    private final Semaphore large;

    private final Semaphore serverQuestions = new Semaphore(SERVER_QUESTIONS_MAX);
    private final int repliesBytesMax;
    private final AtomicLong repliesBytes = new AtomicLong();

    public Capacity(McpLimits limits) {
        this.connections = new Semaphore(limits.connectionsMax());
        this.requestsMax = limits.sandboxInFlightMax();
        this.requests = new Semaphore(requestsMax);
        this.large = new Semaphore(limits.largeBytesMax() / KIBIBYTE);
        this.repliesBytesMax = limits.repliesBytesMax();
    }

    /// False if there are too many already.
    public boolean tryConnect() {
        return connections.tryAcquire();
    }

    public void disconnected() {
        connections.release();
    }

    /// Requests that were begun and are not over.
    public int underWay() {
        return requestsMax - requests.availablePermits();
    }

    void begin() throws InterruptedException {
        requests.acquire();
    }

    void over() {
        requests.release();
    }

    /// For a question of a server's until it is answered. False if too many wait already: servers ask as fast as they
    /// like, and a client may read and never answer.
    boolean tryServerQuestion() {
        return serverQuestions.tryAcquire();
    }

    void serverQuestionOver() {
        serverQuestions.release();
    }

    /// For a frame too large for the usual buffer, from the moment that it is announced until its request is over.
    Grant large(long bytes) throws InterruptedException {
        int kibibytes = (int) (bytes / KIBIBYTE + 1);
        large.acquire(kibibytes);
        return new Grant(large, kibibytes);
    }

    /// For a reply, until it is written or given up. False if there are too many bytes of them already: they are here
    /// whether anybody waits or not, so a client that does not read them cannot be waited for.
    boolean tryHoldReply(int bytes) {
        if (repliesBytes.addAndGet(bytes) <= repliesBytesMax) {
            return true;
        }
        replyGone(bytes);
        return false;
    }

    void replyGone(int bytes) {
        repliesBytes.addAndGet(-bytes);
    }

    /// Of replies that the guest has not read yet.
    long repliesBytes() {
        return repliesBytes.get();
    }

    /// Given back once.
    static final class Grant {
        static final Grant NONE = new Grant(new Semaphore(0), 0);

        private final Semaphore from;
        private final int count;

        private Grant(Semaphore from, int count) {
            this.from = from;
            this.count = count;
        }

        void giveBack() {
            from.release(count);
        }
    }
}
