/// The record: a session's history and chain, the ledger of all sessions (main.db), log files. Entry type:
/// [dev.capsem.service.records.SessionRecords]. Only reads, except for the ledger.
@NullMarked
package dev.capsem.service.records;

import org.jspecify.annotations.NullMarked;
