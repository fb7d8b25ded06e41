package dev.capsem.sandboxmcp.tools;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;

/// The last commands of this server in each sandbox: the server's API has no logs of its own.
final class CommandLog {
    private static final int SANDBOXES_MAX = 64;
    private static final int LENGTH_MAX = 65_536;

    /// Guards `texts`.
    private final ReentrantLock lock = new ReentrantLock();

    private final Map<String, StringBuilder> texts = new LinkedHashMap<>();

    void add(String sandbox, String command, ExecOutcome outcome) {
        lock.lock();
        try {
            if (!texts.containsKey(sandbox) && texts.size() >= SANDBOXES_MAX) {
                texts.remove(texts.keySet().iterator().next());
            }
            StringBuilder text = texts.computeIfAbsent(sandbox, _ -> new StringBuilder());
            text.append("$ ").append(command).append('\n');
            text.append(outcome.stdout()).append(outcome.stderr());
            text.append("[exit code ").append(outcome.exitCode()).append("]\n");
            if (text.length() > LENGTH_MAX) {
                text.delete(0, text.length() - LENGTH_MAX);
            }
        } finally {
            lock.unlock();
        }
    }

    Optional<String> of(String sandbox) {
        lock.lock();
        try {
            return Optional.ofNullable(texts.get(sandbox)).map(StringBuilder::toString);
        } finally {
            lock.unlock();
        }
    }

    void forget(String sandbox) {
        lock.lock();
        try {
            texts.remove(sandbox);
        } finally {
            lock.unlock();
        }
    }
}
