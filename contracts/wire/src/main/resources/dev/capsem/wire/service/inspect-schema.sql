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
CREATE TABLE ai_usage_details (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    interaction_id TEXT NOT NULL REFERENCES ai_model_interactions (interaction_id) ON DELETE CASCADE,
    scope TEXT NOT NULL CHECK (scope = 'interaction' OR scope = 'response'),
    name TEXT NOT NULL,
    value INTEGER NOT NULL
);
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
CREATE TABLE detection_finding_tags (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    finding_id TEXT NOT NULL REFERENCES detection_findings (finding_id) ON DELETE CASCADE,
    tag_index INTEGER NOT NULL,
    tag TEXT NOT NULL,
    UNIQUE (finding_id, tag_index)
);
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
CREATE TABLE fs_events (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    timestamp TEXT NOT NULL,
    action TEXT NOT NULL,
    path TEXT NOT NULL,
    size INTEGER,
    trace_id TEXT
);
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
CREATE TABLE security_event_links (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    event_id TEXT NOT NULL REFERENCES security_events (event_id) ON DELETE CASCADE,
    linked_event_id TEXT NOT NULL,
    link_type TEXT NOT NULL,
    evidence TEXT
);
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
CREATE TABLE session_identity (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    updated_at TEXT NOT NULL,
    vm_id TEXT NOT NULL,
    profile_id TEXT NOT NULL,
    user_id TEXT NOT NULL
);
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
CREATE TABLE tool_responses (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    model_call_id INTEGER NOT NULL,
    call_id TEXT NOT NULL,
    content_preview TEXT,
    is_error INTEGER DEFAULT 0,
    trace_id TEXT
);
