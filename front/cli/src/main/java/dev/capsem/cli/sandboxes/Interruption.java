package dev.capsem.cli.sandboxes;

/// Something to do when Ctrl-C (or SIGTERM) ends this process before its time.
public final class Interruption implements AutoCloseable {
    private final Thread hook;

    private Interruption(Thread hook) {
        this.hook = hook;
    }

    public static Interruption runs(Runnable cleanUp) {
        Thread hook = Thread.ofPlatform().name("interrupted").unstarted(cleanUp);
        Runtime.getRuntime().addShutdownHook(hook);
        return new Interruption(hook);
    }

    /// The ordinary end was reached.
    @Override
    public void close() {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException interrupted) {
            // It is running: the process ends with it.
        }
    }
}
