/// One record per kind of database row. Entry types: `Projection` (rows a producer hands in) and `Row`, through
/// which the database writer, the hash chain and the JSON form read any of them alike: a static `RowShape` names
/// the columns, and `values` gives them in that order. Depends on `vocabulary` only.
@NullMarked
package dev.capsem.events.row;

import org.jspecify.annotations.NullMarked;
