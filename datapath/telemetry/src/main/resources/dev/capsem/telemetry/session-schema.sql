-- session.db: everything that happened in one sandbox. Written by one thread of its capsem-process; read by anyone.
-- Timestamps are RFC 3339 UTC text with six digits of fraction, so that texts sort as times do.
-- A comment above a table says what it holds; docs/reference/session-db.md is generated from this file.
-- CHECKs are chains of OR: SQLite builds a temporary index for every IN list at every insert, a third of its time.
-- Indexes cost each insert: none on what is the same in every row of a session, and none for the rows that lack the value.

-- One HTTP request each, allowed or not.
CREATE TABLE net_events (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    timestamp TEXT NOT NULL,
    domain TEXT NOT NULL,
    port INTEGER DEFAULT 443,
    decision TEXT NOT NULL,
    process_name TEXT,
    pid INTEGER,
    method TEXT,
    path TEXT,
    query TEXT,
    status_code INTEGER,
    bytes_sent INTEGER DEFAULT 0,
    bytes_received INTEGER DEFAULT 0,
    duration_ms INTEGER DEFAULT 0,
    matched_rule TEXT,
    request_headers TEXT,
    response_headers TEXT,
    request_body_preview TEXT,
    response_body_preview TEXT,
    conn_type TEXT DEFAULT 'https',
    policy_mode TEXT,
    policy_action TEXT,
    policy_rule TEXT,
    policy_reason TEXT,
    trace_id TEXT,
    policy_outcome TEXT
);
CREATE INDEX net_events_domain ON net_events (domain);
CREATE INDEX net_events_timestamp ON net_events (timestamp);
CREATE INDEX net_events_trace_id ON net_events (trace_id) WHERE trace_id IS NOT NULL;

-- One call of a model API each. A cost of NULL means that the price is not known, not that the call was free.
CREATE TABLE model_calls (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    timestamp TEXT NOT NULL,
    provider TEXT NOT NULL,
    model TEXT,
    process_name TEXT,
    pid INTEGER,
    method TEXT NOT NULL,
    path TEXT NOT NULL,
    stream INTEGER DEFAULT 0,
    system_prompt_preview TEXT,
    messages_count INTEGER DEFAULT 0,
    tools_count INTEGER DEFAULT 0,
    request_bytes INTEGER DEFAULT 0,
    request_body_preview TEXT,
    message_id TEXT,
    status_code INTEGER,
    text_content TEXT,
    thinking_content TEXT,
    stop_reason TEXT,
    input_tokens INTEGER,
    output_tokens INTEGER,
    duration_ms INTEGER DEFAULT 0,
    response_bytes INTEGER DEFAULT 0,
    estimated_cost_usd REAL,
    trace_id TEXT,
    usage_details TEXT
);
CREATE INDEX model_calls_provider_timestamp ON model_calls (provider, timestamp);
CREATE INDEX model_calls_trace_id ON model_calls (trace_id) WHERE trace_id IS NOT NULL;

-- Tools that a model asked for. `mcp_call_id` is the mcp_calls row that answered, once found.
CREATE TABLE tool_calls (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    model_call_id INTEGER NOT NULL,
    call_index INTEGER NOT NULL,
    call_id TEXT NOT NULL,
    tool_name TEXT NOT NULL,
    arguments TEXT,
    origin TEXT NOT NULL DEFAULT 'native' CHECK (origin = 'native' OR origin = 'local' OR origin = 'mcp_proxy'),
    mcp_call_id INTEGER,
    trace_id TEXT
);
CREATE INDEX tool_calls_model_call_id ON tool_calls (model_call_id);
CREATE INDEX tool_calls_call_id ON tool_calls (call_id);
CREATE INDEX tool_calls_trace_id ON tool_calls (trace_id) WHERE trace_id IS NOT NULL;

-- Results of tools that the client handed back to a model.
CREATE TABLE tool_responses (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    model_call_id INTEGER NOT NULL,
    call_id TEXT NOT NULL,
    content_preview TEXT,
    is_error INTEGER DEFAULT 0,
    trace_id TEXT
);
CREATE INDEX tool_responses_model_call_id ON tool_responses (model_call_id);
CREATE INDEX tool_responses_call_id ON tool_responses (call_id);
CREATE INDEX tool_responses_trace_id ON tool_responses (trace_id) WHERE trace_id IS NOT NULL;

-- One JSON-RPC request of the MCP endpoint each.
CREATE TABLE mcp_calls (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    timestamp TEXT NOT NULL,
    server_name TEXT NOT NULL,
    method TEXT NOT NULL,
    tool_name TEXT,
    request_id TEXT,
    request_preview TEXT,
    response_preview TEXT,
    decision TEXT NOT NULL,
    duration_ms INTEGER DEFAULT 0,
    error_message TEXT,
    process_name TEXT,
    bytes_sent INTEGER DEFAULT 0,
    bytes_received INTEGER DEFAULT 0,
    policy_mode TEXT,
    policy_action TEXT,
    policy_rule TEXT,
    policy_reason TEXT,
    trace_id TEXT,
    policy_outcome TEXT
);
CREATE INDEX mcp_calls_server_name ON mcp_calls (server_name);
CREATE INDEX mcp_calls_timestamp ON mcp_calls (timestamp);
CREATE INDEX mcp_calls_trace_id ON mcp_calls (trace_id) WHERE trace_id IS NOT NULL;

-- Changes of files in the workspace, as the host saw them.
CREATE TABLE fs_events (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    timestamp TEXT NOT NULL,
    action TEXT NOT NULL,
    path TEXT NOT NULL,
    size INTEGER,
    trace_id TEXT
);
CREATE INDEX fs_events_timestamp ON fs_events (timestamp);
CREATE INDEX fs_events_path ON fs_events (path);
CREATE INDEX fs_events_trace_id ON fs_events (trace_id) WHERE trace_id IS NOT NULL;

-- Snapshots of the workspace, each with the fs_events it covers: after start_fs_event_id, up to stop_fs_event_id.
CREATE TABLE snapshot_events (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    timestamp TEXT NOT NULL,
    slot INTEGER NOT NULL,
    origin TEXT NOT NULL,
    name TEXT,
    files_count INTEGER DEFAULT 0,
    start_fs_event_id INTEGER DEFAULT 0,
    stop_fs_event_id INTEGER DEFAULT 0,
    trace_id TEXT
);
CREATE INDEX snapshot_events_timestamp ON snapshot_events (timestamp);
CREATE INDEX snapshot_events_trace_id ON snapshot_events (trace_id) WHERE trace_id IS NOT NULL;

-- Credentials that left the host, one row for each place of a request in which a grant put one. No values.
CREATE TABLE grant_uses (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    timestamp TEXT NOT NULL,
    event_id TEXT NOT NULL,
    grant_name TEXT NOT NULL,
    place TEXT NOT NULL,
    host TEXT NOT NULL,
    use_count INTEGER NOT NULL DEFAULT 1,
    trace_id TEXT
);
CREATE INDEX grant_uses_grant_name ON grant_uses (grant_name, timestamp);
CREATE INDEX grant_uses_timestamp ON grant_uses (timestamp);

-- Commands run through the API. Without an exit code a command is still running, or its sandbox died.
CREATE TABLE exec_events (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    timestamp TEXT NOT NULL,
    exec_id INTEGER NOT NULL,
    command TEXT NOT NULL,
    exit_code INTEGER,
    duration_ms INTEGER,
    stdout_preview TEXT,
    stderr_preview TEXT,
    stdout_bytes INTEGER DEFAULT 0,
    stderr_bytes INTEGER DEFAULT 0,
    source TEXT NOT NULL DEFAULT 'api',
    mcp_call_id INTEGER,
    trace_id TEXT,
    process_name TEXT,
    pid INTEGER
);
CREATE INDEX exec_events_timestamp ON exec_events (timestamp);
CREATE INDEX exec_events_exec_id ON exec_events (exec_id);
CREATE INDEX exec_events_trace_id ON exec_events (trace_id) WHERE trace_id IS NOT NULL;
CREATE INDEX exec_events_source ON exec_events (source);

-- One DNS question each. Types, classes and response codes are the numbers on the wire.
CREATE TABLE dns_events (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    timestamp TEXT NOT NULL,
    qname TEXT NOT NULL,
    qtype INTEGER NOT NULL,
    qclass INTEGER NOT NULL,
    rcode INTEGER NOT NULL,
    decision TEXT NOT NULL,
    matched_rule TEXT,
    source_proto TEXT,
    process_name TEXT,
    upstream_resolver_ms INTEGER DEFAULT 0,
    trace_id TEXT,
    policy_mode TEXT,
    policy_action TEXT,
    policy_rule TEXT,
    policy_reason TEXT,
    policy_outcome TEXT
);
CREATE INDEX dns_events_timestamp ON dns_events (timestamp);
CREATE INDEX dns_events_qname ON dns_events (qname);
CREATE INDEX dns_events_trace_id ON dns_events (trace_id) WHERE trace_id IS NOT NULL;
CREATE INDEX dns_events_decision ON dns_events (decision);
CREATE INDEX dns_events_policy_rule ON dns_events (policy_rule) WHERE policy_rule IS NOT NULL;

-- Processes started inside the sandbox.
CREATE TABLE audit_events (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    timestamp TEXT NOT NULL,
    pid INTEGER NOT NULL,
    ppid INTEGER NOT NULL,
    uid INTEGER NOT NULL,
    exe TEXT NOT NULL,
    comm TEXT,
    argv TEXT NOT NULL,
    cwd TEXT,
    exit_code INTEGER,
    session_id INTEGER,
    tty TEXT,
    audit_id TEXT,
    exec_event_id INTEGER,
    parent_exe TEXT,
    trace_id TEXT
);
CREATE INDEX audit_events_timestamp ON audit_events (timestamp);
CREATE INDEX audit_events_exe ON audit_events (exe);
CREATE INDEX audit_events_pid ON audit_events (pid);
CREATE INDEX audit_events_ppid ON audit_events (ppid);
CREATE INDEX audit_events_trace_id ON audit_events (trace_id) WHERE trace_id IS NOT NULL;

-- Whose session this is; one row.
CREATE TABLE session_identity (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    updated_at TEXT NOT NULL,
    vm_id TEXT NOT NULL,
    profile_id TEXT NOT NULL,
    user_id TEXT NOT NULL
);
CREATE INDEX session_identity_profile_id ON session_identity (profile_id);
CREATE INDEX session_identity_user_id ON session_identity (user_id);

-- Every event after all was decided about it. The rows of the other tables each belong to one of these.
CREATE TABLE security_events (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    event_id TEXT NOT NULL UNIQUE,
    timestamp TEXT NOT NULL,
    timestamp_unix_ms INTEGER NOT NULL,
    event_family TEXT NOT NULL CHECK (
        event_family = 'dns' OR event_family = 'http' OR event_family = 'mcp' OR event_family = 'model'
        OR event_family = 'file' OR event_family = 'process' OR event_family = 'credential'
        OR event_family = 'vm' OR event_family = 'profile' OR event_family = 'conversation'
        OR event_family = 'snapshot'
    ),
    event_type TEXT NOT NULL,
    source_engine TEXT NOT NULL CHECK (
        source_engine = 'network' OR source_engine = 'file' OR source_engine = 'process'
        OR source_engine = 'conversation' OR source_engine = 'security' OR source_engine = 'vm'
        OR source_engine = 'profile' OR source_engine = 'host_ai'
    ),
    final_action TEXT NOT NULL CHECK (
        final_action = 'continue' OR final_action = 'ask' OR final_action = 'rewrite'
        OR final_action = 'block' OR final_action = 'throttle' OR final_action = 'quarantine'
        OR final_action = 'restore' OR final_action = 'drop_connection' OR final_action = 'observe_only'
        OR final_action = 'error'
    ),
    enforceability TEXT NOT NULL CHECK (
        enforceability = 'inline_blockable' OR enforceability = 'observe_only'
        OR enforceability = 'remediation_only'
    ),
    attribution_scope TEXT NOT NULL CHECK (
        attribution_scope = 'host' OR attribution_scope = 'vm' OR attribution_scope = 'profile'
        OR attribution_scope = 'session' OR attribution_scope = 'unknown'
    ),
    origin_kind TEXT NOT NULL CHECK (
        origin_kind = 'guest_network' OR origin_kind = 'host_service' OR origin_kind = 'host_admin'
        OR origin_kind = 'host_workbench' OR origin_kind = 'test_fixture' OR origin_kind = 'unknown'
    ),
    accounting_owner TEXT,
    trace_id TEXT,
    span_id TEXT,
    parent_event_id TEXT,
    stream_id TEXT,
    activity_id TEXT,
    sequence_no INTEGER,
    vm_id TEXT,
    session_id TEXT,
    profile_id TEXT,
    profile_revision TEXT,
    user_id TEXT,
    process_id INTEGER,
    parent_process_id INTEGER,
    exec_id INTEGER,
    turn_id TEXT,
    message_id TEXT,
    tool_call_id TEXT,
    mcp_call_id TEXT,
    redaction_state TEXT NOT NULL CHECK (
        redaction_state = 'raw' OR redaction_state = 'redacted' OR redaction_state = 'summary-only'
    ),
    process_operation TEXT,
    process_command_class TEXT,
    label_count INTEGER NOT NULL DEFAULT 0,
    mutation_count INTEGER NOT NULL DEFAULT 0,
    finding_count INTEGER NOT NULL DEFAULT 0,
    subject TEXT,
    reason TEXT,
    caller_path TEXT,
    caller_script TEXT
);
CREATE INDEX security_events_timestamp ON security_events (timestamp);
CREATE INDEX security_events_trace_id ON security_events (trace_id) WHERE trace_id IS NOT NULL;
CREATE INDEX security_events_family_action ON security_events (event_family, final_action);

-- What each stage of the engine did to an event. A preprocessor step says which address a request was judged by.
CREATE TABLE security_event_steps (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    event_id TEXT NOT NULL REFERENCES security_events (event_id) ON DELETE CASCADE,
    step_index INTEGER NOT NULL,
    kind TEXT NOT NULL CHECK (
        kind = 'preprocessor' OR kind = 'plugin_callback' OR kind = 'enforcement_match' OR kind = 'confirm'
        OR kind = 'rate_limit_check' OR kind = 'detection_match' OR kind = 'postprocessor'
        OR kind = 'emitter_delivery'
    ),
    status TEXT NOT NULL CHECK (status = 'applied' OR status = 'matched' OR status = 'skipped' OR status = 'error'),
    rule_id TEXT,
    pack_id TEXT,
    message TEXT,
    UNIQUE (event_id, step_index)
);
CREATE INDEX security_event_steps_rule_id ON security_event_steps (rule_id) WHERE rule_id IS NOT NULL;

-- What detections found.
CREATE TABLE detection_findings (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    finding_id TEXT NOT NULL UNIQUE,
    event_id TEXT NOT NULL REFERENCES security_events (event_id) ON DELETE CASCADE,
    rule_id TEXT NOT NULL,
    pack_id TEXT NOT NULL,
    sigma_id TEXT,
    title TEXT NOT NULL,
    severity TEXT NOT NULL CHECK (
        severity = 'info' OR severity = 'low' OR severity = 'medium' OR severity = 'high'
        OR severity = 'critical'
    ),
    confidence TEXT NOT NULL CHECK (confidence = 'low' OR confidence = 'medium' OR confidence = 'high')
);
CREATE INDEX detection_findings_event_id ON detection_findings (event_id);
CREATE INDEX detection_findings_rule_id ON detection_findings (rule_id);
CREATE INDEX detection_findings_pack_id ON detection_findings (pack_id);

-- Tags of findings.
CREATE TABLE detection_finding_tags (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    finding_id TEXT NOT NULL REFERENCES detection_findings (finding_id) ON DELETE CASCADE,
    tag_index INTEGER NOT NULL,
    tag TEXT NOT NULL,
    UNIQUE (finding_id, tag_index)
);
CREATE INDEX detection_finding_tags_tag ON detection_finding_tags (tag);

-- Which event followed from which.
CREATE TABLE security_event_links (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    event_id TEXT NOT NULL REFERENCES security_events (event_id) ON DELETE CASCADE,
    linked_event_id TEXT NOT NULL,
    link_type TEXT NOT NULL,
    evidence TEXT
);
CREATE INDEX security_event_links_event_id ON security_event_links (event_id);
CREATE INDEX security_event_links_linked_event_id ON security_event_links (linked_event_id);

-- Model calls in provider-independent form.
CREATE TABLE ai_model_interactions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    model_call_id INTEGER NOT NULL REFERENCES model_calls (id) ON DELETE CASCADE,
    interaction_id TEXT NOT NULL,
    trace_id TEXT NOT NULL,
    attribution_scope TEXT NOT NULL CHECK (
        attribution_scope = 'host' OR attribution_scope = 'vm' OR attribution_scope = 'profile'
        OR attribution_scope = 'session' OR attribution_scope = 'unknown'
    ),
    source_engine TEXT NOT NULL CHECK (
        source_engine = 'network' OR source_engine = 'file' OR source_engine = 'process'
        OR source_engine = 'conversation' OR source_engine = 'security' OR source_engine = 'vm'
        OR source_engine = 'profile' OR source_engine = 'host_ai'
    ),
    origin_kind TEXT NOT NULL CHECK (
        origin_kind = 'guest_network' OR origin_kind = 'host_service' OR origin_kind = 'host_admin'
        OR origin_kind = 'host_workbench' OR origin_kind = 'test_fixture' OR origin_kind = 'unknown'
    ),
    accounting_owner TEXT,
    profile_id TEXT,
    vm_id TEXT,
    session_id TEXT,
    user_id TEXT,
    provider TEXT NOT NULL CHECK (
        provider = 'openai' OR provider = 'anthropic' OR provider = 'google_gemini' OR provider = 'unknown'
    ),
    api_family TEXT NOT NULL CHECK (
        api_family = 'openai_chat_completions' OR api_family = 'openai_responses'
        OR api_family = 'anthropic_messages' OR api_family = 'google_gemini_content' OR api_family = 'mcp'
        OR api_family = 'unknown'
    ),
    model TEXT NOT NULL,
    parse_status TEXT NOT NULL CHECK (
        parse_status = 'complete' OR parse_status = 'partial' OR parse_status = 'malformed'
        OR parse_status = 'unsupported' OR parse_status = 'redacted'
    ),
    evidence_status TEXT NOT NULL CHECK (
        evidence_status = 'complete' OR evidence_status = 'partial' OR evidence_status = 'ambiguous'
        OR evidence_status = 'orphaned' OR evidence_status = 'untrusted'
    ),
    request_id TEXT NOT NULL,
    request_model TEXT,
    request_stream INTEGER NOT NULL DEFAULT 0,
    request_system_prompt_preview TEXT,
    request_message_count INTEGER NOT NULL DEFAULT 0,
    request_tools_declared_count INTEGER NOT NULL DEFAULT 0,
    request_raw_shape_version TEXT NOT NULL,
    request_unknown_fields_present INTEGER NOT NULL DEFAULT 0,
    response_id TEXT,
    response_provider_response_id TEXT,
    response_stop_reason TEXT,
    response_text_preview TEXT,
    response_thinking_preview TEXT,
    response_raw_shape_version TEXT,
    usage_input_tokens INTEGER,
    usage_output_tokens INTEGER,
    usage_estimated_cost_micros INTEGER
);
CREATE INDEX ai_model_interactions_model_call_id ON ai_model_interactions (model_call_id);
CREATE UNIQUE INDEX ai_model_interactions_interaction_id ON ai_model_interactions (interaction_id);
CREATE INDEX ai_model_interactions_trace_id ON ai_model_interactions (trace_id);
CREATE INDEX ai_model_interactions_provider_model ON ai_model_interactions (provider, model);

-- Finer counts of tokens.
CREATE TABLE ai_usage_details (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    interaction_id TEXT NOT NULL REFERENCES ai_model_interactions (interaction_id) ON DELETE CASCADE,
    scope TEXT NOT NULL CHECK (scope = 'interaction' OR scope = 'response'),
    name TEXT NOT NULL,
    value INTEGER NOT NULL
);
CREATE INDEX ai_usage_details_interaction_id ON ai_usage_details (interaction_id);

-- Blocks of a conversation, in order.
CREATE TABLE ai_content_blocks (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    interaction_id TEXT NOT NULL REFERENCES ai_model_interactions (interaction_id) ON DELETE CASCADE,
    block_index INTEGER NOT NULL,
    kind TEXT NOT NULL CHECK (
        kind = 'text' OR kind = 'json' OR kind = 'image' OR kind = 'file' OR kind = 'tool_use'
        OR kind = 'tool_result' OR kind = 'reasoning' OR kind = 'cache_marker' OR kind = 'redacted'
        OR kind = 'unknown'
    ),
    text_preview TEXT,
    json_preview TEXT,
    mime_type TEXT,
    redacted INTEGER,
    file_name TEXT,
    path_class TEXT,
    tool_call_id TEXT,
    name TEXT,
    is_error INTEGER,
    marker TEXT,
    reason TEXT,
    raw_type TEXT
);
CREATE INDEX ai_content_blocks_interaction_id ON ai_content_blocks (interaction_id);

-- Tool calls of a model in normalized form.
CREATE TABLE ai_model_tool_calls (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    interaction_id TEXT NOT NULL REFERENCES ai_model_interactions (interaction_id) ON DELETE CASCADE,
    tool_call_id TEXT NOT NULL,
    call_index INTEGER NOT NULL,
    provider_call_id TEXT,
    raw_name TEXT NOT NULL,
    normalized_name TEXT NOT NULL,
    arguments_raw TEXT,
    arguments_json TEXT,
    arguments_status TEXT NOT NULL CHECK (
        arguments_status = 'valid_json' OR arguments_status = 'partial_json'
        OR arguments_status = 'malformed_json' OR arguments_status = 'not_json'
        OR arguments_status = 'redacted' OR arguments_status = 'absent'
    ),
    origin TEXT NOT NULL CHECK (
        origin = 'native_provider_tool' OR origin = 'mcp_tool' OR origin = 'local_builtin_tool'
        OR origin = 'unknown'
    ),
    linked_mcp_call_id TEXT,
    status TEXT NOT NULL CHECK (
        status = 'proposed' OR status = 'executed' OR status = 'blocked' OR status = 'returned_to_model'
        OR status = 'error' OR status = 'unknown'
    ),
    parse_confidence TEXT NOT NULL
);
CREATE INDEX ai_model_tool_calls_interaction_id ON ai_model_tool_calls (interaction_id);
CREATE INDEX ai_model_tool_calls_normalized_name ON ai_model_tool_calls (normalized_name);
CREATE INDEX ai_model_tool_calls_linked_mcp_call_id ON ai_model_tool_calls (linked_mcp_call_id) WHERE linked_mcp_call_id IS NOT NULL;

-- Tool results given to a model, in normalized form.
CREATE TABLE ai_model_tool_results (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    interaction_id TEXT NOT NULL REFERENCES ai_model_interactions (interaction_id) ON DELETE CASCADE,
    tool_call_id TEXT NOT NULL,
    linked_mcp_call_id TEXT,
    content_kind TEXT NOT NULL CHECK (
        content_kind = 'text' OR content_kind = 'json' OR content_kind = 'image' OR content_kind = 'file'
        OR content_kind = 'tool_use' OR content_kind = 'tool_result' OR content_kind = 'reasoning'
        OR content_kind = 'cache_marker' OR content_kind = 'redacted' OR content_kind = 'unknown'
    ),
    content_preview TEXT,
    content_json TEXT,
    is_error INTEGER NOT NULL DEFAULT 0,
    result_status TEXT NOT NULL CHECK (
        result_status = 'proposed' OR result_status = 'executed' OR result_status = 'blocked'
        OR result_status = 'returned_to_model' OR result_status = 'error' OR result_status = 'unknown'
    ),
    returned_to_model INTEGER NOT NULL DEFAULT 0,
    parse_confidence TEXT NOT NULL
);
CREATE INDEX ai_model_tool_results_interaction_id ON ai_model_tool_results (interaction_id);

-- What MCP tools really did, and which model call asked for it.
CREATE TABLE ai_mcp_execution_evidence (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    interaction_id TEXT REFERENCES ai_model_interactions (interaction_id) ON DELETE CASCADE,
    mcp_call_id TEXT NOT NULL,
    server_id TEXT NOT NULL,
    tool_name TEXT NOT NULL,
    namespaced_tool_name TEXT NOT NULL,
    transport TEXT NOT NULL,
    request_arguments_raw TEXT,
    request_arguments_json TEXT,
    result_kind TEXT NOT NULL CHECK (
        result_kind = 'text' OR result_kind = 'json' OR result_kind = 'image' OR result_kind = 'file'
        OR result_kind = 'tool_use' OR result_kind = 'tool_result' OR result_kind = 'reasoning'
        OR result_kind = 'cache_marker' OR result_kind = 'redacted' OR result_kind = 'unknown'
    ),
    result_preview TEXT,
    result_json TEXT,
    is_error INTEGER NOT NULL DEFAULT 0,
    latency_ms INTEGER NOT NULL DEFAULT 0,
    linked_model_interaction_id TEXT,
    linked_model_tool_call_id TEXT,
    link_status TEXT NOT NULL CHECK (
        link_status = 'linked' OR link_status = 'unlinked_pending' OR link_status = 'orphan_model_tool_call'
        OR link_status = 'orphan_mcp_execution' OR link_status = 'ambiguous'
        OR link_status = 'not_applicable'
    )
);
CREATE INDEX ai_mcp_execution_evidence_interaction_id ON ai_mcp_execution_evidence (interaction_id) WHERE interaction_id IS NOT NULL;
CREATE INDEX ai_mcp_execution_evidence_linked_model_tool_call_id ON ai_mcp_execution_evidence (linked_model_tool_call_id) WHERE linked_model_tool_call_id IS NOT NULL;

-- The hash chain: one link per resolved event, or per gap where events were lost. `row_refs` lists the rows sealed by the
-- link; `hash` is SHA-256 over `prev_hash`, the link itself and those rows.
CREATE TABLE event_chain (
    seq INTEGER PRIMARY KEY,
    at_unix_ms INTEGER NOT NULL,
    event_id TEXT,
    gap_count INTEGER NOT NULL DEFAULT 0,
    gap_reason TEXT CHECK (gap_reason = 'queue_full' OR gap_reason = 'rejected' OR gap_reason = 'lost'),
    gap_detail TEXT,
    row_refs TEXT NOT NULL DEFAULT '',
    prev_hash TEXT NOT NULL,
    hash TEXT NOT NULL,
    CHECK ((event_id IS NULL) = (gap_count > 0))
);
