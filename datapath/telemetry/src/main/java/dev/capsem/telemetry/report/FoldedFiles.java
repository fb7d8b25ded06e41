package dev.capsem.telemetry.report;

/// Rows of fs_events that say nothing about an agent's work: the files in which agents keep their own state,
/// journals of databases, and files that came and went at once. A timeline counts them in one row.
final class FoldedFiles {
    /// Below the guest's home only: a project's own `.claude` is the user's.
    private static final String STATE = "(path GLOB '/root/.claude/*' OR path GLOB '/root/.claude.json*'"
            + " OR path GLOB '/root/.codex/*' OR path GLOB '/root/.gemini/*' OR path GLOB '/root/.local/share/opencode/*'"
            + " OR path GLOB '/root/.local/state/*' OR path GLOB '/root/.config/opencode/*'"
            + " OR path GLOB '/root/.cache/*' OR path GLOB '/root/.npm/*')";

    private static final String JOURNAL = "(path GLOB '*.sqlite*-wal' OR path GLOB '*.sqlite*-shm'"
            + " OR path GLOB '*.sqlite*-journal' OR path GLOB '*.db-wal' OR path GLOB '*.db-shm'"
            + " OR path GLOB '*.db-journal')";

    /// The watch writes both rows of such a file together.
    private static final String SHORT_LIVED = "EXISTS (SELECT 1 FROM fs_events AS twin WHERE twin.path = t.path"
            + " AND twin.timestamp = t.timestamp AND twin.id = t.id + CASE t.action WHEN 'created' THEN 1 ELSE -1 END"
            + " AND twin.action = CASE t.action WHEN 'created' THEN 'deleted' WHEN 'deleted' THEN 'created' END)";

    static final String CONDITION = "(" + STATE + " OR " + JOURNAL + " OR " + SHORT_LIVED + ")";

    /// `.claude` of `/root/.claude/x`, else the kind.
    private static final String PLACE = "CASE WHEN " + STATE + " THEN substr(path, 7,"
            + " CASE instr(substr(path, 7), '/') WHEN 0 THEN length(path) ELSE instr(substr(path, 7), '/') - 1 END)"
            + " WHEN " + JOURNAL + " THEN 'journals' ELSE 'short-lived files' END";

    private FoldedFiles() {}

    /// One row, at the time of the last change; none when nothing is folded.
    static String select(int place) {
        return "SELECT * FROM (SELECT max(timestamp) AS timestamp, 'fs' AS layer, 'fs_events:' || max(t.id) AS ref,"
                + " count(*) || CASE count(*) WHEN 1 THEN ' change' ELSE ' changes' END"
                + " || ' of agents'' own and temporary files: ' || group_concat(DISTINCT " + PLACE + ") AS summary,"
                + " NULL AS status, NULL AS duration_ms, NULL AS trace_id, " + place + " AS place, max(t.id) AS number"
                + " FROM fs_events AS t WHERE timestamp >= ?1 AND (?2 IS NULL OR trace_id IS NULL OR trace_id = ?2)"
                + " AND " + CONDITION + " HAVING count(*) > 0)";
    }
}
