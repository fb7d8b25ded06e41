package dev.capsem.process.grant;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.broker.GrantMode;
import dev.capsem.broker.Held;
import dev.capsem.broker.SecretGrant;
import dev.capsem.broker.SecretPlace;
import dev.capsem.broker.SecretValue;
import dev.capsem.profiles.grant.GrantSource;
import dev.capsem.profiles.grant.GrantValues.Fetched;
import dev.capsem.profiles.grant.ProfileGrant;
import dev.capsem.profiles.io.PlaceholderFile;
import dev.capsem.profiles.secret.Secret;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GrantLoaderTest {
    private static final Instant NOW = Instant.parse("2026-03-01T10:00:00Z");
    private static final String KEY = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";

    @TempDir
    Path session;

    private final Map<String, Fetched> sources = new HashMap<>(Map.of("KEY", value(KEY)));
    private final AtomicInteger asked = new AtomicInteger();
    private final Random random = new Random(7);
    private boolean isClosed = true;

    @Test
    void aSessionWithoutGrantsAsksNobody() {
        assertThat(loader().load(List.of(), session)).isSameAs(SessionGrants.NONE);
        assertThat(session).isEmptyDirectory();
    }

    @Test
    void aStandInLooksLikeItsValueAndIsNotIt() {
        SessionGrants grants = loader().load(List.of(grant("git", "KEY")), session);

        assertThat(grants.environment().get("GIT_TOKEN"))
                .startsWith("ghp_")
                .hasSameSizeAs(KEY)
                .isNotEqualTo(KEY);
        assertThat(grants.grants().held().getFirst().value()).contains(SecretValue.of(KEY));
        assertThat(grants.files())
                .singleElement()
                .satisfies(file -> assertThat(file.text())
                        .isEqualTo("password " + grants.environment().get("GIT_TOKEN") + "\n"));
    }

    @Test
    void standInsSurviveARestartAndANewValue() throws IOException {
        SessionGrants before = loader().load(List.of(grant("git", "KEY")), session);
        sources.put("KEY", value("ghp_another-value-of-the-same-key"));

        SessionGrants after = loader().load(List.of(grant("git", "KEY")), session);

        assertThat(after.environment()).isEqualTo(before.environment());
        assertThat(after.grants().held().getFirst().value())
                .contains(SecretValue.of("ghp_another-value-of-the-same-key"));
        Path file = session.resolve(PlaceholderFile.NAME);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
        assertThat(Files.readString(file)).doesNotContain(KEY);
    }

    @Test
    void aForkHasOthersAndKnowsTheFilesOfItsParent() throws IOException {
        SessionGrants parent = loader().load(List.of(grant("git", "KEY")), session);
        Path fork = Files.createDirectory(session.resolve("fork"));
        PlaceholderFile.fork(session, fork);

        SessionGrants forked = loader().load(List.of(grant("git", "KEY")), fork);

        assertThat(forked.environment()).isNotEqualTo(parent.environment());
        assertThat(forked.files().getFirst().former())
                .contains(parent.files().getFirst().text());
    }

    @Test
    void aSourceThatFailsLeavesTheOthersAlone() {
        SessionGrants grants = loader().load(List.of(grant("git", "KEY"), grant("docs", "NONE")), session);

        Held missing = grants.grants().held().get(1);
        assertThat(missing.value()).isEmpty();
        assertThat(missing.missing()).contains("not there");
        assertThat(grants.environment()).containsKeys("GIT_TOKEN", "DOCS_TOKEN");
    }

    @Test
    void aValueThatCouldNotBeRecognisedIsNotUsed() {
        sources.put("KEY", value("short"));

        assertThat(loader().load(List.of(grant("git", "KEY")), session)
                        .grants()
                        .held()
                        .getFirst()
                        .missing())
                .hasValueSatisfying(reason -> assertThat(reason).contains("could not be recognised"));
    }

    @Test
    void aProcessThatDebuggersMayReadFetchesNothing() {
        isClosed = false;

        assertThat(loader().load(List.of(grant("git", "KEY")), session)
                        .grants()
                        .held()
                        .getFirst()
                        .value())
                .isEmpty();
        assertThat(asked).hasValue(0);
    }

    @Test
    void aValueWithAnEndIsKeptUntilShortlyBefore() {
        sources.put("KEY", new Fetched.Value(new Secret(KEY), Optional.of(NOW.plusSeconds(600))));
        GrantLoader loader = loader();

        SessionGrants grants = loader.load(List.of(grant("git", "KEY")), session);
        loader.load(List.of(grant("git", "KEY")), session);

        assertThat(asked).hasValue(1);
        assertThat(grants.expires()).contains(NOW.plusSeconds(600));
        assertThat(loader.untilFetch(NOW.plusSeconds(600))).isEqualTo(Duration.ofMinutes(9));
        assertThat(loader.untilFetch(NOW.plusSeconds(30))).isEqualTo(Duration.ofSeconds(15));
        sources.put("KEY", new Fetched.Value(new Secret(KEY), Optional.of(NOW.plusSeconds(30))));
        GrantLoader other = loader();
        other.load(List.of(grant("git", "KEY")), session);
        other.load(List.of(grant("git", "KEY")), session);
        assertThat(asked).hasValue(3);
    }

    @Test
    void aDamagedFileOfStandInsIsReplaced() throws IOException {
        Files.writeString(session.resolve(PlaceholderFile.NAME), "{\"git\": \"x\", ");

        assertThat(loader().load(List.of(grant("git", "KEY")), session).environment())
                .containsKey("GIT_TOKEN");
    }

    @Test
    void thisKernelClosesAProcess() {
        assertThat(DumpableNative.close()).isTrue();
    }

    private GrantLoader loader() {
        return new GrantLoader(
                source -> {
                    asked.incrementAndGet();
                    return sources.getOrDefault(
                            ((GrantSource.Variable) source).name(), new Fetched.Missing("not there"));
                },
                () -> isClosed,
                random,
                InstantSource.fixed(NOW));
    }

    private static Fetched value(String text) {
        return new Fetched.Value(new Secret(text), Optional.empty());
    }

    private static ProfileGrant grant(String name, String variable) {
        return new ProfileGrant(
                new SecretGrant(
                        name,
                        List.of("git.example.com"),
                        List.of(new SecretPlace.Basic()),
                        Set.of(),
                        List.of(),
                        GrantMode.PLACEHOLDER,
                        Optional.empty(),
                        1,
                        false),
                new GrantSource.Variable(variable),
                Optional.of(name.toUpperCase(java.util.Locale.ROOT) + "_TOKEN"),
                Optional.of(new ProfileGrant.PlacedFile("/root/." + name, "password {}\n")),
                Optional.empty());
    }
}
