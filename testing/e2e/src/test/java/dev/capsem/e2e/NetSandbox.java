package dev.capsem.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.e2e.Installation.Executed;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/// A sandbox under the profile of a [World], with the test clients as its project.
final class NetSandbox implements AutoCloseable {
    /// Rows are written behind the exchange's back, and servers start when they start; this is only the patience of a
    /// test that will fail.
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /// Tools are pinned by profile, so that two sandboxes of one home must not share one.
    private static final AtomicInteger PROFILES = new AtomicInteger();

    private final Installation installation;
    private final UnaryOperator<String> command;
    private final String profile;
    private final String id;
    private final Path directory;

    private NetSandbox(
            Installation installation, UnaryOperator<String> command, String profile, String id, Path directory) {
        this.installation = installation;
        this.command = command;
        this.profile = profile;
        this.id = id;
        this.directory = directory;
    }

    /// A sandbox of this name, without a world, under a profile that is there already.
    static NetSandbox start(Installation installation, String profile, String name) {
        try {
            assertThat(installation.capsem("service", "start"))
                    .satisfies(outcome -> assertThat(outcome.exitCode())
                            .as("%s%s", outcome.stdout(), outcome.stderr())
                            .isZero());
            String id = installation.create(Installation.JSON
                    .createObjectNode()
                    .put("profile_id", profile)
                    .put("name", name)
                    .put("persistent", true)
                    .toString());
            return new NetSandbox(installation, UnaryOperator.identity(), profile, id, installation.persistent(name));
        } catch (AssertionError refused) {
            installation.close();
            throw refused;
        }
    }

    /// @param rules beside those of the world's profile, as TOML
    static NetSandbox start(Account account, World world, String rules) {
        return startUnder(account, world, world.profile(rules));
    }

    /// With a service of its own, for tests that end it or count what it does.
    static NetSandbox startAlone(Account account, World world, String rules) {
        return startIn(Installation.start(account), world, world.profile(rules), NetClients.FOLDER);
    }

    /// @param profile the whole of it, under the world's name
    static NetSandbox startUnder(Account account, World world, String profile) {
        return startUnder(account, world, profile, NetClients.FOLDER);
    }

    /// In the installation that the tests of an account share, under a name that no other sandbox has.
    ///
    /// @param project what the sandbox has in its home, copy-on-write
    static NetSandbox startUnder(Account account, World world, String profile, Path project) {
        return startIn(Installation.shared(account), world, profile, project);
    }

    private static NetSandbox startIn(Installation installation, World world, String profile, Path project) {
        String name = World.PROFILE + "-" + PROFILES.incrementAndGet();
        try {
            Path profiles = Files.createDirectories(installation.home().resolve("profiles"));
            Path file = profiles.resolve(name + ".toml");
            Files.writeString(file, profile.replace("id = \"" + World.PROFILE + "\"", "id = \"" + name + "\""));
            installation.handOver(profiles);
            String id = installation.create(provision(name, project));
            return new NetSandbox(
                    installation,
                    template -> "export S=/root/clients/scripts; " + world.command(template),
                    name,
                    id,
                    installation.home().resolve("run/sessions").resolve(id));
        } catch (IOException failed) {
            installation.close();
            throw new UncheckedIOException(failed);
        } catch (AssertionError refused) {
            installation.close();
            throw refused;
        }
    }

    private static String provision(String profile, Path project) {
        var request = Installation.JSON.createObjectNode().put("profile_id", profile);
        request.putObject("project").put("source", project.toString()).put("rw", false);
        return request.toString();
    }

    String profile() {
        return profile;
    }

    Installation installation() {
        return installation;
    }

    /// Of the session, on the host.
    Path directory() {
        return directory;
    }

    String id() {
        return id;
    }

    /// Runs a command in which `{web}` and its like stand for origins.
    Executed exec(String template) {
        return installation.exec(id, command.apply(template));
    }

    /// One row of session.db by column.
    record Row(Map<String, @Nullable Object> columns) {
        @Nullable
        Object get(String column) {
            assertThat(columns).containsKey(column);
            return columns.get(column);
        }

        String text(String column) {
            return String.valueOf(get(column));
        }

        long number(String column) {
            return ((Number) java.util.Objects.requireNonNull(get(column), column)).longValue();
        }

        double real(String column) {
            return ((Number) java.util.Objects.requireNonNull(get(column), column)).doubleValue();
        }
    }

    List<Row> rows(String sql, Object... arguments) {
        return rows(directory.resolve("session.db"), sql, arguments);
    }

    static List<Row> rows(Path database, String sql, Object... arguments) {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:file:" + database + "?mode=ro");
                PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < arguments.length; i++) {
                statement.setObject(i + 1, arguments[i]);
            }
            List<Row> rows = new ArrayList<>();
            try (ResultSet result = statement.executeQuery()) {
                while (result.next()) {
                    Map<String, @Nullable Object> columns = new LinkedHashMap<>();
                    for (int i = 1; i <= result.getMetaData().getColumnCount(); i++) {
                        columns.put(result.getMetaData().getColumnLabel(i), result.getObject(i));
                    }
                    rows.add(new Row(columns));
                }
            }
            return rows;
        } catch (SQLException failed) {
            throw new IllegalStateException(failed);
        }
    }

    /// Waits until these MCP servers are connected. A client's first list waits for them too, but not for ever: it is
    /// given without one that takes longer to start.
    void awaitServers(String... names) {
        Instant end = Instant.now().plus(PATIENCE);
        Set<String> connected = connected();
        while (!connected.containsAll(List.of(names)) && Instant.now().isBefore(end)) {
            pause();
            connected = connected();
        }
        assertThat(connected).contains(names);
    }

    private Set<String> connected() {
        JsonNode servers =
                installation.get("/mcp/tools/" + id).expect(200).json().path("servers");
        return servers.valueStream()
                .filter(server -> server.path("connected").asBoolean())
                .map(server -> server.path("name").asString())
                .collect(Collectors.toSet());
    }

    private static void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(50);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(interrupted);
        }
    }

    /// Waits until there are at least so many rows; what there is then.
    List<Row> awaitRows(int count, String sql, Object... arguments) {
        Instant end = Instant.now().plus(PATIENCE);
        List<Row> rows = rows(sql, arguments);
        while (rows.size() < count && Instant.now().isBefore(end)) {
            pause();
            rows = rows(sql, arguments);
        }
        assertThat(rows).as("rows of %s %s", sql, List.of(arguments)).hasSizeGreaterThanOrEqualTo(count);
        return rows;
    }

    /// The only row there is.
    Row awaitRow(String sql, Object... arguments) {
        List<Row> rows = awaitRows(1, sql, arguments);
        assertThat(rows).as("rows of %s %s", sql, List.of(arguments)).hasSize(1);
        return rows.getFirst();
    }

    /// Everything that is stored about this session, as text: what must not be in it is in none of its rows.
    String everything() {
        return everythingBut("exec_events");
    }

    /// The same without tables that hold the commands as they were typed.
    String everythingBut(String... without) {
        StringBuilder all = new StringBuilder();
        for (Row table : rows("SELECT name FROM sqlite_master WHERE type = 'table'")) {
            if (List.of(without).contains(table.text("name"))) {
                continue;
            }
            for (Row row : rows("SELECT * FROM \"" + table.text("name") + "\"")) {
                all.append(row.columns().values()).append('\n');
            }
        }
        return all.toString();
    }

    @Override
    public void close() {
        installation.close();
    }
}
