package dev.capsem.process.configuration;

import dev.capsem.process.budget.SessionBudgets;
import dev.capsem.process.grant.SessionGrants;
import dev.capsem.profiles.EffectiveProfile;
import dev.capsem.profiles.grant.ProfileGrant;
import dev.capsem.profiles.mcp.McpServer;
import dev.capsem.profiles.secret.SecretSource;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Everything that a session takes from its profile, of one revision. It never changes: a reload makes another one.
public final class SessionConfiguration {
    /// Before a profile was read: there are no rules, so everything is blocked.
    public static final SessionConfiguration NONE = new SessionConfiguration(
            Optional.empty(), Optional.empty(), _ -> Optional.empty(), SessionGrants.NONE, SessionBudgets.NONE);

    private final Optional<String> revision;
    private final Optional<EffectiveProfile> profile;
    private final SecretSource secrets;
    private final SessionGrants grants;
    private final SessionBudgets budgets;

    /// Made when first asked for, since most sandboxes end before they need it. Guarded by this object.
    private @Nullable SessionNetwork network;

    private SessionConfiguration(
            Optional<String> revision,
            Optional<EffectiveProfile> profile,
            SecretSource secrets,
            SessionGrants grants,
            SessionBudgets budgets) {
        this.revision = revision;
        this.profile = profile;
        this.secrets = secrets;
        this.grants = grants;
        this.budgets = budgets;
    }

    /// Before its rules are compiled, or if they cannot be: its settings count, and everything is blocked.
    ///
    /// @param secrets asked for what the network settings refer to
    static SessionConfiguration withoutRules(EffectiveProfile profile, SecretSource secrets, SessionGrants grants) {
        return new SessionConfiguration(
                Optional.empty(), Optional.of(profile), secrets, grants, SessionBudgets.of(profile.budgets()));
    }

    /// The same, now that its rules are compiled.
    synchronized SessionConfiguration withRules() {
        return with(profile.map(EffectiveProfile::revision), grants);
    }

    /// The same, with values that were fetched again.
    synchronized SessionConfiguration withGrants(SessionGrants fetched) {
        return with(revision, fetched);
    }

    private SessionConfiguration with(Optional<String> compiled, SessionGrants fetched) {
        SessionConfiguration complete = new SessionConfiguration(compiled, profile, secrets, fetched, budgets);
        complete.network = network;
        return complete;
    }

    /// Which credentials leave with which requests, and what stands for them inside.
    public SessionGrants grants() {
        return grants;
    }

    /// The same of what is recorded, of which some is only a beginning.
    public String cleanRecord(String text) {
        return grants.grants().knownValues().cleanBeginning(text);
    }

    /// The text without the values of credentials: for what is shown, or said by a tool.
    public String clean(String text) {
        return grants.grants().knownValues().clean(text);
    }

    /// Which calls are counted, and how.
    public SessionBudgets budgets() {
        return budgets;
    }

    List<ProfileGrant> profileGrants() {
        return profile.map(EffectiveProfile::grants).orElse(List.of());
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
