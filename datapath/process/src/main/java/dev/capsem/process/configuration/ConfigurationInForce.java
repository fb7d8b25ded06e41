package dev.capsem.process.configuration;

import dev.capsem.process.grant.GrantLoader;
import dev.capsem.process.rules.SessionRules;
import dev.capsem.process.rules.SessionRules.Loading;
import dev.capsem.profiles.EffectiveJson;
import dev.capsem.profiles.EffectiveProfile;
import dev.capsem.profiles.io.SessionProfile;
import dev.capsem.profiles.secret.SecretSource;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.slf4j.LoggerFactory;

/// The one place that says which configuration a session has now. Whoever needs more than one part of it asks once and
/// keeps the answer. Safe for many threads.
public final class ConfigurationInForce {
    private final SessionRules rules;
    private final SecretSource secrets;
    private final GrantLoader grants;
    private final Consumer<Runnable> background;
    private final CompletableFuture<Void> loaded = new CompletableFuture<>();

    /// One load at a time, so that the last one to read the file is the last one to be put in force. Guards writing
    /// `current`; anybody may read it.
    private final ReentrantLock lock = new ReentrantLock();

    private volatile SessionConfiguration current = SessionConfiguration.NONE;

    /// @param rules compiles them
    /// @param secrets of this host
    /// @param grants fetches their values
    /// @param background runs what waits, as long as the sandbox lives
    public ConfigurationInForce(
            SessionRules rules, SecretSource secrets, GrantLoader grants, Consumer<Runnable> background) {
        this.rules = rules;
        this.secrets = secrets;
        this.grants = grants;
        this.background = background;
    }

    /// For sessions without grants.
    public ConfigurationInForce(SessionRules rules, SecretSource secrets) {
        this(rules, secrets, GrantLoader.NONE, _ -> {});
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
        SessionConfiguration next =
                SessionConfiguration.withoutRules(profile, secrets, grants.load(profile.grants(), sessionDir));
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
        fetchAgainInTime(current, sessionDir);
        return loading;
    }

    /// A value that ends is fetched again before that, as long as this is the configuration in force.
    private void fetchAgainInTime(SessionConfiguration of, Path sessionDir) {
        of.grants()
                .expires()
                .ifPresent(expires -> background.accept(() -> {
                    try {
                        Thread.sleep(grants.untilFetch(expires));
                        fetchAgain(of, sessionDir);
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                }));
    }

    private void fetchAgain(SessionConfiguration of, Path sessionDir) {
        lock.lock();
        try {
            if (current == of) {
                current = of.withGrants(grants.load(of.profileGrants(), sessionDir));
                fetchAgainInTime(current, sessionDir);
            }
        } finally {
            lock.unlock();
        }
    }
}
