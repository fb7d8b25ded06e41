package dev.capsem.telemetry.inspect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.capsem.telemetry.Databases;
import dev.capsem.telemetry.SessionSchema;
import dev.capsem.telemetry.TelemetryException;
import dev.capsem.wire.json.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Every attack must end before JUnit's patience does, and leave file and program as they were.
@Timeout(60)
class InspectorTest {
    @TempDir
    private Path directory = Path.of("replaced by JUnit");

    /// Its five seconds pass in a quarter of one.
    private final Inspector inspector = new Inspector(() -> System.nanoTime() * 20, InspectorTest::residentBytes);

    @BeforeEach
    void record() throws SQLException {
        try (Connection connection = Databases.forWriting(database());
                Statement statement = connection.createStatement()) {
            statement.executeUpdate(SessionSchema.sql());
            statement.executeUpdate(
                    "INSERT INTO exec_events (timestamp, exec_id, command, exit_code) VALUES"
                            + " ('2026-03-01T10:00:00.000000Z', 1, 'make; test', 2), ('2026-03-01T10:00:01.000000Z', 2, 'ls', 0)");
        }
    }

    private Path database() {
        return directory.resolve("session.db");
    }

    static long residentBytes() {
        try {
            return Long.parseLong(Files.readString(Path.of("/proc/self/statm")).split(" ")[1]) * 4_096;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Without a clock: on a busy machine a short query may take long.
    private Inspection.Rows rows(String sql) {
        Inspection answer = new Inspector(() -> 0, InspectorTest::residentBytes).run(database(), sql);
        assertThat(answer).as("%s", sql).isInstanceOf(Inspection.Rows.class);
        return (Inspection.Rows) answer;
    }

    @Test
    void answersColumnsAndRows() {
        Inspection.Rows answer = rows("-- a remark\n/* and; another */ SELECT exec_id, command, exit_code, pid,"
                + " 1.5 AS half, 1e999 AS endless, x'00ff' AS bytes FROM exec_events ORDER BY id;  -- the end");

        assertThat(Json.text(answer.toJson()))
                .isEqualTo(
                        "{\"columns\":[\"exec_id\",\"command\",\"exit_code\",\"pid\",\"half\",\"endless\",\"bytes\"],"
                                + "\"rows\":[[1,\"make; test\",2,null,1.5,null,\"AP8=\"],[2,\"ls\",0,null,1.5,null,\"AP8=\"]],"
                                + "\"truncated\":false}");
    }

    @Test
    void takesWithAndExplain() {
        assertThat(rows("with c as (select 1 as x) select x from c").rows().size())
                .isEqualTo(1);
        assertThat(rows("EXPLAIN QUERY PLAN SELECT * FROM exec_events").rows().isEmpty())
                .isFalse();
        assertThat(rows("explain select 1").columns()).contains("opcode");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "  -- nothing",
                ";",
                "ATTACH ':memory:' AS other",
                "attach database '/etc/passwd' as other",
                "VACUUM INTO '/tmp/copy-of-session.db'",
                "VACUUM",
                "PRAGMA query_only = 0",
                "/**/PRAGMA writable_schema = 1",
                "EXPLAIN PRAGMA query_only = 0",
                "EXPLAIN QUERY PLAN ATTACH ':memory:' AS other",
                "EXPLAIN EXPLAIN SELECT 1",
                "INSERT INTO exec_events (timestamp, exec_id, command) VALUES ('', 1, '')",
                "DELETE FROM exec_events",
                "CREATE TEMP TABLE t (x)",
                "BEGIN",
                "backup to '/tmp/copy-of-session.db'",
                "SELECT 1; SELECT 2",
                "SELECT 1; ATTACH ':memory:' AS other",
                "SELECT ';' -- ' ;\n; PRAGMA query_only = 0",
                "SELECT \"a;b\" , [;] , `;` FROM x; DROP TABLE exec_events",
                "SELECT 1 /* ; */ ; /* ; */ DELETE FROM exec_events",
                "VALUES (1)",
                "SELECT 1\0; PRAGMA query_only = 0"
            })
    void refusesWhatIsNotOneQuery(String sql) {
        assertThat(inspector.run(database(), sql)).isInstanceOf(Inspection.Refused.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "WITH x AS (SELECT 1) INSERT INTO exec_events (timestamp, exec_id, command) SELECT '', 1, '' FROM x",
                "WITH x AS (SELECT 1) DELETE FROM exec_events",
                "WITH x AS (SELECT 1) UPDATE exec_events SET command = ''",
                "SELECT load_extension('/tmp/x.so')",
                "SELECT load_extension('/tmp/x.so', 'init')",
                "SELECT fts3_tokenizer('simple')",
                "SELECT fts3_tokenizer('simple', x'0000000000000000')",
                "SELECT sqlite_log(1, 'x')",
                "SELECT replicate('aaaaaaaaaa', 200000000)",
                "SELECT padl('a', 2000000000)",
                "SELECT strfilter('a', 'b')",
                "SELECT length(zeroblob(2000000000))",
                "SELECT length(randomblob(2000000000))",
                "SELECT length(printf('%.2000000000c', 'x'))",
                "SELECT length(hex(zeroblob(900000)))",
                "SELECT length(replace(hex(zeroblob(500000)), '0', 'many more'))",
                "SELECT trim(hex(zeroblob(500000)), hex(zeroblob(500000)))",
                "SELECT length(group_concat(x, '')) FROM (WITH RECURSIVE c(x) AS (SELECT hex(zeroblob(1000))"
                        + " UNION ALL SELECT x FROM c LIMIT 2000) SELECT x FROM c)",
                "SELECT 'a' LIKE hex(zeroblob(1000))",
                "SELECT * FROM nowhere"
            })
    void refusesWhatGoesBeyondReading(String sql) {
        assertThat(inspector.run(database(), sql)).isInstanceOf(Inspection.Refused.class);
        assertThat(rows("SELECT count(*) FROM exec_events").rows().get(0).get(0).asInt())
                .isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c",
                "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT sum(length(randomblob(1000000)))"
                        + " FROM c",
                "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT hex(zeroblob(500000)) AS b FROM c"
                        + " ORDER BY b",
                "WITH RECURSIVE c(x) AS (SELECT 1 UNION SELECT random() FROM c) SELECT max(x) FROM c"
            })
    void stopsWhatDoesNotEnd(String sql) {
        assertThat(inspector.run(database(), sql)).isInstanceOf(Inspection.Stopped.class);
    }

    @Test
    void saysWhichLimitWasReached() {
        String endless = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c";
        long[] resident = {0};
        Inspector crowded = new Inspector(System::nanoTime, () -> resident[0] += Inspector.GROWTH_BYTES_MAX);

        assertThat(inspector.run(database(), endless))
                .isEqualTo(new Inspection.Stopped("query timed out after 5 seconds"));
        assertThat(crowded.run(database(), endless))
                .isEqualTo(new Inspection.Stopped("query needs more memory than 256 MB"));
    }

    @Test
    void cutsRowsAndBytes() {
        String numbers = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 20000) SELECT ";

        Inspection.Rows many = rows(numbers + "x FROM c");
        Inspection.Rows large = rows(numbers + "hex(zeroblob(400000)) FROM c");

        assertThat(many.rows().size()).isEqualTo(Inspector.ROWS_MAX);
        assertThat(many.truncated()).isTrue();
        assertThat(large.rows().size()).isLessThan(20);
        assertThat(large.truncated()).isTrue();
    }

    /// A function that is not on the list must not come back with a new version of the library.
    @Test
    void hasNoFunctionButTheListedOnes() {
        for (String call : List.of(
                "replicate('a', 2)",
                "reverse('ab')",
                "padc('a', 3)",
                "proper('a')",
                "median(1)",
                "stdev(1)",
                "charindex('a', 'b')",
                "fts5('x')",
                "changes()",
                "rtreecheck('main', 'x')",
                "unistr('a')",
                "ltrim('aab', 'a')")) {
            assertThat(inspector.run(database(), "SELECT " + call))
                    .as("%s", call)
                    .isInstanceOf(Inspection.Refused.class);
        }
        assertThat(rows("SELECT trim('  a '), upper('a'), json_extract('{\"a\":1}', '$.a'), strftime('%Y', 0)")
                        .rows()
                        .size())
                .isEqualTo(1);
    }

    @Test
    void leavesNoFileBehind() throws IOException {
        for (String attack : List.of(
                "VACUUM INTO '" + directory.resolve("copy.db") + "'",
                "ATTACH '" + directory.resolve("other.db") + "' AS o",
                "SELECT 1; ATTACH '" + directory.resolve("other.db") + "' AS o")) {
            inspector.run(database(), attack);
        }

        try (Stream<Path> files = Files.list(directory)) {
            assertThat(files.map(file -> file.getFileName().toString()))
                    .allMatch(name -> name.startsWith("session.db"));
        }
    }

    @Test
    void saysWhenThereIsNoDatabase() {
        assertThatThrownBy(() -> inspector.run(directory.resolve("none.db"), "SELECT 1"))
                .isInstanceOf(TelemetryException.class);
    }

    @Test
    void keepsSqlitesWordsOnly() {
        assertThat(inspector.run(database(), "SELECT * FROM nowhere"))
                .isEqualTo(new Inspection.Refused("no such table: nowhere"));
        assertThat(inspector.run(database(), "PRAGMA x"))
                .isEqualTo(new Inspection.Refused("PRAGMA statements are not allowed"));
        assertThat(inspector.run(database(), "frobnicate"))
                .isEqualTo(new Inspection.Refused("unsupported statement type: FROBNICATE"));
    }
}
