package dev.capsem.service.v1.exec;

import dev.capsem.service.http.Answer;
import java.time.Duration;

/// A client to whom something is written now and then, so that a command whose client left is noticed, and killed, even
/// if
/// it never says a word.
public final class LivePeer implements AutoCloseable {
    static final Duration SILENCE_MAX = Duration.ofSeconds(2);

    private final Answer.Sink sink;
    private final byte[] sign;
    private final Thread owner = Thread.currentThread();
    private final Thread pulse;

    /// Guards the two below, and that one line is written at a time.
    private final Object lock = new Object();

    private boolean spoke;
    private boolean over;

    /// Requires: made, used and closed by one thread, which waits for the command.
    ///
    /// @param sign what is written after a silence
    public LivePeer(Answer.Sink sink, byte[] sign) {
        this.sink = sink;
        this.sign = sign;
        this.pulse = Thread.ofVirtual().name("alive").start(this::beat);
    }

    public void write(byte[] bytes) {
        synchronized (lock) {
            spoke = true;
            sink.write(bytes);
        }
    }

    private void beat() {
        try {
            while (true) {
                Thread.sleep(SILENCE_MAX);
                synchronized (lock) {
                    if (!spoke && !over) {
                        sink.write(sign);
                    }
                    spoke = false;
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (Answer.ClientGoneException e) {
            synchronized (lock) {
                if (!over) {
                    // Wakes it from waiting for output; its link to the command closes with it.
                    owner.interrupt();
                }
            }
        }
    }

    @Override
    public void close() {
        synchronized (lock) {
            over = true;
        }
        pulse.interrupt();
        // Ours, if we sent one: the thread has nothing left to be interrupted in.
        Thread.interrupted();
    }
}
