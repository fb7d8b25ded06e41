package dev.capsem.telemetry.chain;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/// The last link of a session's hash chain. Whoever keeps it elsewhere can tell later that nothing before it was
/// changed or cut off.
///
/// @param seq 0 when the chain is empty
/// @param hash 64 hex digits
public record ChainHead(long seq, String hash) {
    public static final ChainHead EMPTY = new ChainHead(0, SealBuffer.GENESIS);

    public static ChainHead of(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT seq, hash FROM event_chain ORDER BY seq DESC LIMIT 1")) {
            return row.next() ? new ChainHead(row.getLong(1), row.getString(2)) : ChainHead.EMPTY;
        }
    }
}
