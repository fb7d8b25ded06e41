-- main.db: one row per session of this host, with what it added up to when it ended.

-- Sessions, and the head of each one's hash chain as it was when the session ended.
CREATE TABLE sessions (
    id TEXT PRIMARY KEY,
    mode TEXT NOT NULL,
    command TEXT,
    status TEXT NOT NULL CHECK (status IN ('running', 'stopped', 'crashed', 'vacuumed', 'terminated')),
    created_at TEXT NOT NULL,
    stopped_at TEXT,
    scratch_disk_size_gb INTEGER DEFAULT 16,
    ram_bytes INTEGER,
    total_requests INTEGER DEFAULT 0,
    allowed_requests INTEGER DEFAULT 0,
    denied_requests INTEGER DEFAULT 0,
    total_input_tokens INTEGER DEFAULT 0,
    total_output_tokens INTEGER DEFAULT 0,
    total_estimated_cost REAL,
    total_tool_calls INTEGER DEFAULT 0,
    total_mcp_calls INTEGER DEFAULT 0,
    total_file_events INTEGER DEFAULT 0,
    compressed_size_bytes INTEGER,
    vacuumed_at TEXT,
    storage_mode TEXT DEFAULT 'block',
    rootfs_hash TEXT,
    rootfs_version TEXT,
    forked_from TEXT,
    persistent INTEGER DEFAULT 0,
    exec_count INTEGER DEFAULT 0,
    audit_event_count INTEGER DEFAULT 0,
    chain_seq INTEGER,
    chain_hash TEXT
);
CREATE INDEX sessions_created_at ON sessions (created_at);
CREATE INDEX sessions_status ON sessions (status);

-- Model calls of a session, by provider.
CREATE TABLE ai_usage (
    session_id TEXT NOT NULL,
    provider TEXT NOT NULL,
    call_count INTEGER DEFAULT 0,
    input_tokens INTEGER DEFAULT 0,
    output_tokens INTEGER DEFAULT 0,
    estimated_cost REAL,
    total_duration_ms INTEGER DEFAULT 0,
    PRIMARY KEY (session_id, provider)
);

-- Tools that models asked for, by name.
CREATE TABLE tool_usage (
    session_id TEXT NOT NULL,
    tool_name TEXT NOT NULL,
    call_count INTEGER DEFAULT 0,
    total_bytes INTEGER DEFAULT 0,
    total_duration_ms INTEGER DEFAULT 0,
    PRIMARY KEY (session_id, tool_name)
);

-- MCP tools that were called, by name.
CREATE TABLE mcp_usage (
    session_id TEXT NOT NULL,
    tool_name TEXT NOT NULL,
    server_name TEXT,
    call_count INTEGER DEFAULT 0,
    total_bytes INTEGER DEFAULT 0,
    total_duration_ms INTEGER DEFAULT 0,
    PRIMARY KEY (session_id, tool_name)
);
