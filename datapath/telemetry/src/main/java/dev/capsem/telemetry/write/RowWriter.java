package dev.capsem.telemetry.write;

import dev.capsem.events.row.Row;
import dev.capsem.events.row.RowShape;
import dev.capsem.events.row.RowValues;
import dev.capsem.telemetry.chain.SealBuffer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The prepared statement of one kind of row. Values go to the statement and to the seal in one pass.
final class RowWriter implements AutoCloseable {
    private final RowShape shape;
    private final StoredText texts;
    private final boolean[] sealed;
    private final boolean[] added;
    private final PreparedStatement statement;
    private final Binder binder = new Binder();

    RowWriter(Connection connection, RowShape shape, StoredText texts) throws SQLException {
        this.shape = shape;
        this.texts = texts;
        this.sealed = new boolean[shape.columns().size()];
        this.added = new boolean[sealed.length];
        for (int i = 0; i < sealed.length; i++) {
            sealed[i] = !shape.unsealed().contains(shape.columns().get(i));
            added[i] = shape.added().contains(shape.columns().get(i));
        }
        this.statement = connection.prepareStatement(shape.completes() ? update(shape) : insert(shape));
    }

    /// Writes the row under `id`. `parentKey` is what its parent column holds: a text key or, if that is absent,
    /// a number.
    void write(Row row, long id, Optional<String> parentKey, long parentId, SealBuffer seal) throws SQLException {
        binder.seal = seal;
        binder.column = 0;
        binder.parameter = 1;
        binder.failure = null;
        seal.startRow(shape.kind(), id);
        if (!shape.completes()) {
            statement.setLong(binder.parameter++, id);
        }
        if (shape.parentColumn().isPresent()) {
            bindParent(parentKey, parentId, seal);
        }
        row.values(binder);
        if (binder.failure != null) {
            throw binder.failure;
        }
        if (binder.column != sealed.length) {
            throw new IllegalStateException(shape.kind() + " gave " + binder.column + " values");
        }
        if (shape.completes()) {
            statement.setLong(binder.parameter++, id);
        }
        statement.executeUpdate();
    }

    private void bindParent(Optional<String> parentKey, long parentId, SealBuffer seal) throws SQLException {
        if (parentKey.isPresent()) {
            statement.setString(binder.parameter++, parentKey.get());
            seal.text(parentKey.get());
        } else {
            statement.setLong(binder.parameter++, parentId);
            seal.integer(parentId);
        }
    }

    @Override
    public void close() throws SQLException {
        statement.close();
    }

    private static String insert(RowShape shape) {
        StringBuilder columns = new StringBuilder("id");
        StringBuilder marks = new StringBuilder("?");
        shape.parentColumn().ifPresent(column -> {
            columns.append(", ").append(column);
            marks.append(", ?");
        });
        for (String column : shape.columns()) {
            columns.append(", ").append(column);
            marks.append(", ?");
        }
        return "INSERT INTO " + shape.table() + " (" + columns + ") VALUES (" + marks + ")";
    }

    private static String update(RowShape shape) {
        return "UPDATE " + shape.table() + " SET " + String.join(" = ?, ", shape.columns()) + " = ? WHERE id = ?";
    }

    private final class Binder implements RowValues {
        private SealBuffer seal = new SealBuffer();
        private int column;
        private int parameter;
        private @Nullable SQLException failure;

        @Override
        public void text(String value) {
            String stored = texts.of(value);
            try {
                statement.setString(parameter++, stored);
            } catch (SQLException e) {
                failure = e;
            }
            if (isSealed()) {
                seal.text(stored);
            }
        }

        @Override
        public void integer(long value) {
            try {
                statement.setLong(parameter++, value);
            } catch (SQLException e) {
                failure = e;
            }
            if (isSealed()) {
                seal.integer(value);
            }
        }

        @Override
        public void real(double value) {
            if (Double.isNaN(value)) {
                absent(); // SQLite stores it as NULL.
                return;
            }
            double stored = value + 0.0; // SQLite has no negative zero.
            try {
                statement.setDouble(parameter++, stored);
            } catch (SQLException e) {
                failure = e;
            }
            if (isSealed()) {
                seal.real(stored);
            }
        }

        @Override
        public void absent() {
            try {
                statement.setNull(parameter++, Types.NULL);
            } catch (SQLException e) {
                failure = e;
            }
            boolean isAdded = added[column];
            if (sealed[column++] && !isAdded) {
                seal.absent();
            }
        }

        /// Whether the value of this column, which is there, goes into the seal; an added column's name goes first.
        private boolean isSealed() {
            if (added[column]) {
                seal.text(shape.columns().get(column));
            }
            return sealed[column++];
        }
    }
}
