package dev.capsem.telemetry.inspect;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// The gate alone: the connection behind it would refuse most of this as well.
class SqlGateTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT 1",
                "select 1",
                " \t\r\n SELECT 1;",
                "SELECT 1 ; \n -- done\n /* over */ ",
                "WITH x AS (SELECT 1) SELECT * FROM x",
                "EXPLAIN SELECT 1",
                "EXPLAIN QUERY PLAN SELECT 1",
                "explain query plan with x AS (SELECT 1) SELECT * FROM x",
                "-- a comment\nSELECT 1",
                "/* ; */SELECT 1",
                "SELECT ';' , \";\", `;`, [;]",
                "SELECT 'it''s; fine'",
                "SELECT 1 -- ; not the end",
                "SELECT 1 /* ; not the end",
                "SELECT 1 /*/ ; not the end */",
                "SELECT 4 / 2 - 1",
                "SELECT 'open; to the end",
            })
    void letsOneQueryThrough(String sql) {
        assertThat(SqlGate.refusal(sql)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "'',                                empty query",
        "' -- only a comment',              empty query",
        "'/* only */',                      empty query",
        "PRAGMA cache_size=1,               PRAGMA statements are not allowed",
        "/**/attach 'x' AS y,               ATTACH statements are not allowed",
        "vacuum into 'x',                   VACUUM statements are not allowed",
        "INSERT INTO a VALUES (1),          INSERT statements are not allowed",
        "SELECTED,                          unsupported statement type: SELECTED",
        "SELECT_X,                          unsupported statement type: SELECT_X",
        "aaaaaaaaaaaaaaaaaaaaaaaaaa,        unsupported statement type: AAAAAAAAAAAAAAAAAAAA",
        "zZ,                                unsupported statement type: ZZ",
        "EXPLAIN PRAGMA x,                  EXPLAIN is for SELECT and WITH",
        "EXPLAIN QUERY PLAN PRAGMA x,       EXPLAIN is for SELECT and WITH",
        "EXPLAIN EXPLAIN SELECT 1,          EXPLAIN is for SELECT and WITH",
        "EXPLAIN,                           EXPLAIN is for SELECT and WITH",
        "SELECT 1; SELECT 2,                only one statement is allowed",
        "SELECT 1;PRAGMA x,                 only one statement is allowed",
        "SELECT 1;;,                        only one statement is allowed",
        "SELECT ''a''; PRAGMA x,            only one statement is allowed",
        "SELECT [a]; PRAGMA x,              only one statement is allowed",
        "SELECT `a`; PRAGMA x,              only one statement is allowed",
        "SELECT /* */ 1; PRAGMA x,          only one statement is allowed",
        "SELECT 1 /*/ */; PRAGMA x,         only one statement is allowed",
        "SELECT 1 - 1; PRAGMA x,            only one statement is allowed",
    })
    void refusesAndSaysWhy(String sql, String reason) {
        assertThat(SqlGate.refusal(sql)).contains(reason);
    }

    @ParameterizedTest
    @ValueSource(strings = {"SELECT 1; -- a\nPRAGMA x", "SELECT 1 -- a\n; PRAGMA x", "SELECT \"a\"; PRAGMA x"})
    void aCommentEndsWhereItsLineEnds(String sql) {
        assertThat(SqlGate.refusal(sql)).contains("only one statement is allowed");
    }

    @ParameterizedTest
    @ValueSource(strings = {"\0", "SELECT 1\0", "\0SELECT 1"})
    void refusesWhatEndsEarlyForSqlite(String sql) {
        assertThat(SqlGate.refusal(sql)).contains("a query holds no NUL");
    }
}
