package dev.capsem.telemetry.inspect;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.sqlite.Function;
import org.sqlite.SQLiteConnection;
import org.sqlite.SQLiteLimits;

/// Takes from a connection what a query of a stranger must not have: attached files, values without bound, and
/// functions that write, load, or work for minutes within one instruction, where no deadline reaches them.
final class Fence {
    /// A field of ours has at most 256 KiB; a computed value may join a few.
    static final int VALUE_BYTES_MAX = 1_048_576;

    static final int SQL_BYTES_MAX = 65_536;

    private static final Map<SQLiteLimits, Integer> LIMITS = Map.of(
            SQLiteLimits.SQLITE_LIMIT_ATTACHED, 0,
            SQLiteLimits.SQLITE_LIMIT_LENGTH, VALUE_BYTES_MAX,
            SQLiteLimits.SQLITE_LIMIT_SQL_LENGTH, SQL_BYTES_MAX,
            SQLiteLimits.SQLITE_LIMIT_COLUMN, 512,
            SQLiteLimits.SQLITE_LIMIT_EXPR_DEPTH, 100,
            SQLiteLimits.SQLITE_LIMIT_COMPOUND_SELECT, 50,
            SQLiteLimits.SQLITE_LIMIT_VDBE_OP, 100_000,
            SQLiteLimits.SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 256,
            SQLiteLimits.SQLITE_LIMIT_WORKER_THREADS, 0);

    /// Everything else that the library brings along is taken away: it has string functions of its own that allocate
    /// what they are asked for.
    private static final Set<String> FUNCTIONS = Set.of(
            ("-> ->> abs avg ceil ceiling char coalesce concat concat_ws count cume_dist current_date current_time"
                            + " current_timestamp date datetime dense_rank exp first_value floor format glob group_concat"
                            + " hex if ifnull iif instr json json_array json_array_length json_error_position"
                            + " json_extract json_group_array json_group_object json_object json_patch json_pretty"
                            + " json_quote json_type json_valid julianday lag last_value lead length like likelihood"
                            + " likely ln log log10 log2 lower ltrim max min mod nth_value ntile nullif octet_length"
                            + " percent_rank pow power printf quote random randomblob rank replace round row_number"
                            + " rtrim sign sqlite_version sqrt strftime string_agg substr substring sum time timediff"
                            + " total trim trunc typeof unhex unicode unixepoch unlikely upper zeroblob")
                    .split(" "));

    /// With a set of characters these compare every one with every one.
    private static final Set<String> ONE_ARGUMENT_ONLY = Set.of("trim", "ltrim", "rtrim");

    /// SQLITE_UTF8: the driver adds SQLITE_UTF16, which together are SQLITE_ANY. Without it the library's own function,
    /// being nearer to the database's encoding, stays in force.
    private static final int EVERY_ENCODING = 1;

    private Fence() {}

    private record Signature(String name, int arguments) {
        boolean isAllowed() {
            return FUNCTIONS.contains(name) && (arguments != 2 || !ONE_ARGUMENT_ONLY.contains(name));
        }
    }

    static void around(Connection connection) throws SQLException {
        for (Signature function : functions(connection)) {
            if (!function.isAllowed()) {
                Function.create(
                        connection,
                        function.name(),
                        new Unavailable(),
                        Math.max(function.arguments(), -1),
                        EVERY_ENCODING);
            }
        }
        SQLiteConnection sqlite = connection.unwrap(SQLiteConnection.class);
        for (Map.Entry<SQLiteLimits, Integer> limit : LIMITS.entrySet()) {
            sqlite.setLimit(limit.getKey(), limit.getValue());
        }
    }

    private static List<Signature> functions(Connection connection) throws SQLException {
        List<Signature> found = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT DISTINCT name, narg FROM pragma_function_list")) {
            while (rows.next()) {
                found.add(new Signature(rows.getString(1), rows.getInt(2)));
            }
        }
        return found;
    }

    private static final class Unavailable extends Function {
        @Override
        protected void xFunc() throws SQLException {
            error("this function is not available in inspect");
        }
    }
}
