/// Log lines as every program of ours writes them, and the records that a crash leaves. Entry types:
/// [dev.capsem.wire.log.LogLine], [dev.capsem.wire.log.Panic]. Values only: where lines go is each program's
/// business, and `wire.io` keeps panics.
@NullMarked
package dev.capsem.wire.log;

import org.jspecify.annotations.NullMarked;
