package dev.capsem.process.grant;

import dev.capsem.broker.Grants;
import dev.capsem.broker.Held;
import dev.capsem.broker.Placeholder;
import dev.capsem.broker.PlaceholderShapes;
import dev.capsem.broker.SecretValue;
import dev.capsem.process.grant.SessionGrants.FileInside;
import dev.capsem.profiles.grant.GrantReader;
import dev.capsem.profiles.grant.GrantSource;
import dev.capsem.profiles.grant.GrantValues;
import dev.capsem.profiles.grant.GrantValues.Fetched;
import dev.capsem.profiles.grant.ProfileGrant;
import dev.capsem.profiles.io.PlaceholderFile;
import dev.capsem.profiles.secret.Secret;
import dev.capsem.wire.io.TaskScope;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.function.BooleanSupplier;
import java.util.random.RandomGenerator;
import org.slf4j.LoggerFactory;

/// Makes the grants of a session: fetches their values, all at once, and finds or makes their stand-ins.
public final class GrantLoader {
    /// Finds no value at all.
    public static final GrantLoader NONE = new GrantLoader(
            _ -> new Fetched.Missing("there are no sources"),
            () -> true,
            RandomGenerator.getDefault(),
            InstantSource.system());

    /// A value is fetched so long before it ends, that no request is under way with an old one.
    private static final Duration AHEAD = Duration.ofSeconds(60);

    private static final Duration FETCH_AFTER_MIN = Duration.ofSeconds(15);
    private final GrantValues values;
    private final BooleanSupplier closed;
    private final RandomGenerator random;
    private final InstantSource clock;

    /// What a source gave with a time; asked again when that has passed.
    private final Map<GrantSource, Fetched.Value> lasting = new ConcurrentHashMap<>();

    /// @param closed closes this process to debuggers and cores; without that no value is fetched
    public GrantLoader(GrantValues values, BooleanSupplier closed, RandomGenerator random, InstantSource clock) {
        this.values = values;
        this.closed = closed;
        this.random = random;
        this.clock = clock;
    }

    /// Costs nothing where the profile has no grants. Never throws.
    public SessionGrants load(List<ProfileGrant> grants, Path sessionDir) {
        if (grants.isEmpty()) {
            return SessionGrants.NONE;
        }
        Map<String, Fetched> fetched = closed.getAsBoolean() ? fetch(grants) : refused(grants);
        SortedMap<String, Placeholder> placeholders = PlaceholderFile.read(sessionDir);
        Map<String, Placeholder> former = PlaceholderFile.former(sessionDir);
        List<Held> held = new ArrayList<>();
        boolean isNew = false;
        for (ProfileGrant grant : grants) {
            Fetched of = fetched.getOrDefault(grant.name(), new Fetched.Missing("its source was not asked"));
            Held one = held(grant, of, Optional.ofNullable(placeholders.get(grant.name())));
            isNew |= placeholders.put(grant.name(), one.placeholder()) == null;
            held.add(one);
        }
        if (isNew) {
            keep(placeholders, sessionDir);
        }
        return session(grants, held, former, expiry(fetched));
    }

    /// How long a value that ends then need not be fetched again.
    public Duration untilFetch(Instant expires) {
        Duration left = Duration.between(clock.instant(), expires).minus(AHEAD);
        return left.compareTo(FETCH_AFTER_MIN) < 0 ? FETCH_AFTER_MIN : left;
    }

    private Map<String, Fetched> fetch(List<ProfileGrant> grants) {
        Map<String, Fetched> fetched = new HashMap<>();
        try (TaskScope scope = new TaskScope("grants", (_, _) -> {})) {
            Map<String, Future<Fetched>> asked = new HashMap<>();
            grants.forEach(grant -> asked.put(grant.name(), scope.fork(() -> fetch(grant.source()))));
            asked.forEach((name, answer) -> fetched.put(name, await(answer)));
        }
        return fetched;
    }

    private static Map<String, Fetched> refused(List<ProfileGrant> grants) {
        Map<String, Fetched> fetched = new HashMap<>();
        grants.forEach(grant -> fetched.put(
                grant.name(),
                new Fetched.Missing("the kernel does not close this process to debuggers, so it holds no secrets")));
        return fetched;
    }

    private Fetched fetch(GrantSource source) {
        Fetched.Value kept = lasting.get(source);
        if (kept != null
                && kept.expires().filter(clock.instant().plus(AHEAD)::isBefore).isPresent()) {
            return kept;
        }
        Fetched fetched = values.fetch(source);
        if (fetched instanceof Fetched.Value value && value.expires().isPresent()) {
            lasting.put(source, value);
        }
        return fetched;
    }

    private static Fetched await(Future<Fetched> answer) {
        try {
            return answer.get();
        } catch (ExecutionException bug) {
            LoggerFactory.getLogger(GrantLoader.class)
                    .atError()
                    .addKeyValue("failure", String.valueOf(bug.getCause()).replaceAll("[:].*", ""))
                    .log("grant.source_failed");
            return new Fetched.Missing("asking its source failed");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new Fetched.Missing("the sandbox is over");
        }
    }

    private Held held(ProfileGrant grant, Fetched fetched, Optional<Placeholder> known) {
        return switch (fetched) {
            case Fetched.Missing(String reason) -> missing(grant, known, reason);
            case Fetched.Value(Secret secret, Optional<Instant> _) -> {
                byte[] bytes = secret.reveal().getBytes(StandardCharsets.UTF_8);
                if (bytes.length < SecretValue.BYTES_MIN || bytes.length > SecretValue.BYTES_MAX) {
                    yield missing(
                            grant,
                            known,
                            "its value has not " + SecretValue.BYTES_MIN + " to " + SecretValue.BYTES_MAX
                                    + " bytes, so it could not be recognised in an answer");
                }
                SecretValue value = new SecretValue(bytes);
                java.util.Arrays.fill(bytes, (byte) 0);
                Placeholder placeholder = known.orElseGet(() -> PlaceholderShapes.make(value, grant.shape(), random));
                yield new Held(grant.grant(), placeholder, Optional.of(value), Optional.empty());
            }
        };
    }

    private Held missing(ProfileGrant grant, Optional<Placeholder> known, String reason) {
        LoggerFactory.getLogger(GrantLoader.class)
                .atWarn()
                .addKeyValue("grant", grant.name())
                .addKeyValue("reason", reason)
                .log("grant.value_missing");
        return new Held(
                grant.grant(),
                known.orElseGet(() -> PlaceholderShapes.makeUnseen(grant.shape(), random)),
                Optional.empty(),
                Optional.of(reason));
    }

    /// If they cannot be kept, a restart makes others, and programs that still have these are refused.
    private static void keep(SortedMap<String, Placeholder> placeholders, Path sessionDir) {
        try {
            PlaceholderFile.write(sessionDir, placeholders);
        } catch (IOException e) {
            LoggerFactory.getLogger(GrantLoader.class).atWarn().log("grant.placeholders_unwritable");
        }
    }

    private static SessionGrants session(
            List<ProfileGrant> grants, List<Held> held, Map<String, Placeholder> former, Optional<Instant> expires) {
        Map<String, String> environment = new HashMap<>();
        List<FileInside> files = new ArrayList<>();
        for (int i = 0; i < grants.size(); i++) {
            ProfileGrant grant = grants.get(i);
            String standIn = held.get(i).placeholder().text();
            grant.variable().ifPresent(name -> environment.put(name, standIn));
            grant.file()
                    .ifPresent(file -> files.add(new FileInside(
                            file.path(),
                            file.text().replace(GrantReader.VALUE, standIn),
                            Optional.ofNullable(former.get(grant.name()))
                                    .map(before -> file.text().replace(GrantReader.VALUE, before.text())))));
        }
        return new SessionGrants(Grants.of(held), environment, files, expires);
    }

    private static Optional<Instant> expiry(Map<String, Fetched> fetched) {
        return fetched.values().stream()
                .filter(Fetched.Value.class::isInstance)
                .flatMap(value -> ((Fetched.Value) value).expires().stream())
                .min(Instant::compareTo);
    }
}
