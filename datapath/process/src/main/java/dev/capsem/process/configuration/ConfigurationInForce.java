package dev.capsem.process.configuration;

import dev.capsem.process.rules.SessionRules;
import dev.capsem.process.rules.SessionRules.Loading;
import dev.capsem.profiles.EffectiveJson;
import dev.capsem.profiles.EffectiveProfile;
import dev.capsem.profiles.io.SessionProfile;
import dev.capsem.profiles.secret.SecretSource;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.LoggerFactory;

/// The one place that says which configuration a session has now. Whoever needs more than one part of it asks once and
/// keeps the answer. Safe for many threads.
public final class ConfigurationInForce {
    private final SessionRules rules;
    private final SecretSource secrets;
    private final CompletableFuture<Void> loaded = new CompletableFuture<>();

    /// One load at a time, so that the last one to read the file is the last one to be put in force. Guards writing
    /// `current`; anybody may read it.
    private final ReentrantLock lock = new ReentrantLock();

    private volatile SessionConfiguration current = SessionConfiguration.NONE;

    /// @param rules compiles them
    /// @param secrets of this host
    public ConfigurationInForce(SessionRules rules, SecretSource secrets) {
        this.rules = rules;
        this.secrets = secrets;
    }

    public SessionConfiguration now() {
        return current;
    }

    /// Done when the first load has ended, whatever came of it.
    public CompletableFuture<Void> loaded() {
        return loaded;
    }

    /// Reads what is in the session's directory and puts it in force, all of it at once. What cannot be put in force
    /// changes nothing. Never throws.
    public Loading load(Path sessionDir) {
        lock.lock();
        try {
            return switch (SessionProfile.read(sessionDir)) {
                case EffectiveJson.Read.Malformed malformed -> rules.unreadable(malformed.reason());
                case EffectiveJson.Read.Ok(EffectiveProfile profile) -> load(profile, sessionDir);
            };
        } catch (RuntimeException bug) {
            // Whoever waits for the rules must learn that there are none.
            LoggerFactory.getLogger(ConfigurationInForce.class)
                    .atError()
                    .setCause(bug)
                    .log("configuration.failed");
            return rules.unreadable(
                    "reading the profile failed: " + bug.getClass().getSimpleName());
        } finally {
            lock.unlock();
            loaded.complete(null);
        }
    }

    private Loading load(EffectiveProfile profile, Path sessionDir) {
        SessionConfiguration next = SessionConfiguration.withoutRules(profile, secrets);
        if (loaded.isDone()) {
            // Requests come already: none of them shall wait for files and secrets.
            next.network();
        }
        Loading loading = rules.load(profile, sessionDir);
        if (loading instanceof Loading.InForce) {
            current = next.withRules();
        } else if (current.revision().isEmpty()) {
            current = next;
        }
        return loading;
    }
}
