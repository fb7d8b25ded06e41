package dev.capsem.process.configuration;

import dev.capsem.profiles.EffectiveProfile;
import dev.capsem.profiles.mcp.McpServer;
import dev.capsem.profiles.secret.SecretSource;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Everything that a session takes from its profile, of one revision. It never changes: a reload makes another one.
public final class SessionConfiguration {
    /// Before a profile was read: there are no rules, so everything is blocked.
    public static final SessionConfiguration NONE =
            new SessionConfiguration(Optional.empty(), Optional.empty(), _ -> Optional.empty());

    private final Optional<String> revision;
    private final Optional<EffectiveProfile> profile;
    private final SecretSource secrets;

    /// Made when first asked for, since most sandboxes end before they need it. Guarded by this object.
    private @Nullable SessionNetwork network;

    private SessionConfiguration(Optional<String> revision, Optional<EffectiveProfile> profile, SecretSource secrets) {
        this.revision = revision;
        this.profile = profile;
        this.secrets = secrets;
    }

    /// Before its rules are compiled, or if they cannot be: its settings count, and everything is blocked.
    ///
    /// @param secrets asked for what the network settings refer to
    static SessionConfiguration withoutRules(EffectiveProfile profile, SecretSource secrets) {
        return new SessionConfiguration(Optional.empty(), Optional.of(profile), secrets);
    }

    /// The same, now that its rules are compiled.
    synchronized SessionConfiguration withRules() {
        SessionConfiguration complete =
                new SessionConfiguration(profile.map(EffectiveProfile::revision), profile, secrets);
        complete.network = network;
        return complete;
    }

    /// Of the rules in force; empty if there are none.
    public Optional<String> revision() {
        return revision;
    }

    /// Reads files and secrets when it is called for the first time.
    public synchronized SessionNetwork network() {
        SessionNetwork made = network;
        if (made == null) {
            made = profile.map(read -> SessionNetwork.of(read, secrets)).orElse(SessionNetwork.NONE);
            network = made;
        }
        return made;
    }

    public List<McpServer> servers() {
        return profile.map(EffectiveProfile::servers).orElse(List.of());
    }

    /// Whether questions wait while nobody watches.
    public boolean waitsUnwatched() {
        return profile.map(EffectiveProfile::waitsUnwatched).orElse(false);
    }
}
