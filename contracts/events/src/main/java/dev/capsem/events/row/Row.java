package dev.capsem.events.row;

import java.util.List;
import java.util.Optional;

/// Anything that becomes one row, with the rows that belong to it.
public interface Row {
    RowShape shape();

    /// Gives every column of [#shape()] exactly once, in order.
    void values(RowValues out);

    /// Rows stored right after this one, which name it in their parent column.
    default List<? extends Row> children() {
        return List.of();
    }

    /// The value of the children's parent column; absent = the number the database gave this row.
    default Optional<String> key() {
        return Optional.empty();
    }
}
