package dev.capsem.events.row;

import java.util.List;
import java.util.Optional;
import java.util.Set;

/// Where a kind of row is stored and which columns it fills.
///
/// @param kind names the shape; the table's name, unless the row completes one written earlier
/// @param parentColumn filled by the writer with the key of the row above this one
/// @param columns in the order in which `Row.values` gives them
/// @param unsealed columns that may change after the row was written (links found later), so the hash chain skips
///     them
/// @param added columns that came after the first release. Older rows do not have them: the hash chain seals such a
///     value together with its column's name, and seals nothing where there is none
/// @param completes whether this fills columns of a row written earlier, instead of adding one
public record RowShape(
        String kind,
        String table,
        Optional<String> parentColumn,
        List<String> columns,
        Set<String> unsealed,
        Set<String> added,
        boolean completes) {
    public RowShape {
        columns = List.copyOf(columns);
        unsealed = Set.copyOf(unsealed);
        added = Set.copyOf(added);
        if (!columns.containsAll(unsealed) || !columns.containsAll(added)) {
            throw new IllegalArgumentException(kind + ": an unsealed or added column must be one of its columns");
        }
    }

    public static RowShape of(String table, String... columns) {
        return new RowShape(table, table, Optional.empty(), List.of(columns), Set.of(), Set.of(), false);
    }

    /// The row belongs to the row that holds it, and names it in `column`.
    public RowShape under(String column) {
        return new RowShape(kind, table, Optional.of(column), columns, unsealed, added, completes);
    }

    public RowShape leavingOpen(String... unsealedColumns) {
        return new RowShape(kind, table, parentColumn, columns, Set.of(unsealedColumns), added, completes);
    }

    public RowShape adding(String... addedColumns) {
        return new RowShape(kind, table, parentColumn, columns, unsealed, Set.of(addedColumns), completes);
    }

    /// The row fills columns of one written earlier; `kindName` tells the two apart.
    public RowShape completing(String kindName) {
        return new RowShape(kindName, table, parentColumn, columns, unsealed, added, true);
    }
}
