package dev.capsem.events.vocabulary;

/// Every kind of event, with the family it belongs to.
public enum EventType implements WireNamed {
    DNS_REQUEST("dns.request", EventFamily.DNS),
    HTTP_REQUEST("http.request", EventFamily.HTTP),
    HTTP_RESPONSE("http.response", EventFamily.HTTP),
    MCP_REQUEST("mcp.request", EventFamily.MCP),
    MCP_RESPONSE("mcp.response", EventFamily.MCP),
    MODEL_REQUEST("model.request", EventFamily.MODEL),
    MODEL_RESPONSE("model.response", EventFamily.MODEL),
    MODEL_TOOL_CALL("model.tool_call", EventFamily.MODEL),
    MODEL_TOOL_RESPONSE("model.tool_response", EventFamily.MODEL),
    FILE_ACTIVITY("file.activity", EventFamily.FILE),
    FILE_READ("file.read", EventFamily.FILE),
    FILE_WRITE("file.write", EventFamily.FILE),
    PROCESS_EXEC("process.exec", EventFamily.PROCESS),
    PROCESS_EXEC_COMPLETE("process.exec_complete", EventFamily.PROCESS),
    PROCESS_AUDIT("process.audit", EventFamily.PROCESS),
    CREDENTIAL_REQUEST("credential.request", EventFamily.CREDENTIAL),
    CREDENTIAL_ACTIVITY("credential.activity", EventFamily.CREDENTIAL),
    SANDBOX_CREATE("vm.create", EventFamily.VM),
    SANDBOX_START("vm.start", EventFamily.VM),
    SANDBOX_STOP("vm.stop", EventFamily.VM),
    PROFILE_UPDATE("profile.update", EventFamily.PROFILE),
    CONVERSATION_MESSAGE("conversation.message", EventFamily.CONVERSATION),
    SNAPSHOT_CREATE("snapshot.create", EventFamily.SNAPSHOT),
    SNAPSHOT_RESTORE("snapshot.restore", EventFamily.SNAPSHOT);

    private final String wireName;
    private final EventFamily family;

    EventType(String wireName, EventFamily family) {
        this.wireName = wireName;
        this.family = family;
    }

    @Override
    public String wireName() {
        return wireName;
    }

    public EventFamily family() {
        return family;
    }
}
