package dev.capsem.telemetry.write;

import dev.capsem.events.row.McpExecutionEvidence;
import dev.capsem.events.row.ModelRow;
import dev.capsem.events.vocabulary.TraceId;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;

/// Ties what a model asked for to the MCP call that answered it, in both tables of each. A client may call a tool
/// before the reply that asked for it has ended, so either row may be the first; the second one makes the link. Only
/// columns that the chain leaves open are written.
final class CallLinks {
    /// The newest, because formats without ids of their own use the same one in every turn.
    private static final String FIND_ASKED = "SELECT id, model_call_id FROM tool_calls"
            + " WHERE call_id = ? AND trace_id = ? AND mcp_call_id IS NULL ORDER BY id DESC LIMIT 1";
    private static final String FIND_EXECUTED = "SELECT e.id, m.id FROM ai_mcp_execution_evidence e"
            + " JOIN mcp_calls m ON m.trace_id = ?1 AND m.method = 'tools/call' AND m.request_id = e.mcp_call_id"
            + " AND m.tool_name = e.namespaced_tool_name"
            + " WHERE e.linked_model_tool_call_id = ?2 AND e.link_status <> 'linked'"
            + " AND NOT EXISTS (SELECT 1 FROM tool_calls t WHERE t.trace_id = ?1 AND t.mcp_call_id = m.id)"
            + " ORDER BY e.id, m.id LIMIT 1";
    private static final String FIND_TOOL_CALL =
            "SELECT id FROM tool_calls WHERE model_call_id = ? AND call_id = ? AND mcp_call_id IS NULL LIMIT 1";
    private static final String LINK_TOOL_CALL = "UPDATE tool_calls SET mcp_call_id = ? WHERE id = ?";
    private static final String LINK_EVIDENCE = "UPDATE ai_mcp_execution_evidence SET link_status = 'linked',"
            + " interaction_id = (SELECT interaction_id FROM ai_model_interactions WHERE model_call_id = ?1),"
            + " linked_model_interaction_id ="
            + " (SELECT interaction_id FROM ai_model_interactions WHERE model_call_id = ?1) WHERE id = ?2";
    private static final String LINK_NORMALIZED = "UPDATE ai_model_tool_calls SET"
            + " linked_mcp_call_id = e.mcp_call_id, status = CASE WHEN e.is_error THEN 'error' ELSE 'executed' END"
            + " FROM ai_mcp_execution_evidence e WHERE e.id = ?"
            + " AND ai_model_tool_calls.interaction_id = e.linked_model_interaction_id"
            + " AND ai_model_tool_calls.tool_call_id = e.linked_model_tool_call_id";
    private static final String FIND_RETURNED = "SELECT c.id, c.linked_mcp_call_id FROM ai_model_interactions i"
            + " JOIN ai_model_tool_calls c ON c.interaction_id = i.interaction_id"
            + " WHERE i.trace_id = ? AND c.tool_call_id = ? AND c.linked_mcp_call_id IS NOT NULL"
            + " ORDER BY c.id DESC LIMIT 1";
    private static final String LINK_RESULT =
            "UPDATE ai_model_tool_results SET linked_mcp_call_id = ? WHERE interaction_id = ? AND tool_call_id = ?";
    private static final String MARK_RETURNED =
            "UPDATE ai_model_tool_calls SET status = 'returned_to_model' WHERE id = ? AND status = 'executed'";

    private final Statements statements;

    /// Prepared once each.
    @FunctionalInterface
    interface Statements {
        PreparedStatement of(String sql) throws SQLException;
    }

    CallLinks(Statements statements) {
        this.statements = statements;
    }

    /// After the rows of an MCP call.
    void executed(long mcpCallId, Optional<TraceId> trace, long evidenceId, McpExecutionEvidence evidence)
            throws SQLException {
        if (trace.isEmpty() || evidence.linkedModelToolCallId().isEmpty()) {
            return;
        }
        PreparedStatement find = statements.of(FIND_ASKED);
        find.setString(1, evidence.linkedModelToolCallId().get());
        find.setString(2, trace.get().value());
        try (ResultSet asked = find.executeQuery()) {
            if (asked.next()) {
                link(asked.getLong(1), asked.getLong(2), mcpCallId, evidenceId);
            }
        }
    }

    /// After the rows of a model call.
    void asked(long modelCallId, ModelRow row) throws SQLException {
        if (row.traceId().isEmpty()) {
            return;
        }
        String trace = row.traceId().get().value();
        for (ModelRow.ToolCall call : row.toolCalls()) {
            answeredBefore(modelCallId, trace, call.callId());
        }
        if (row.interaction().isPresent()) {
            for (ModelRow.ToolResponse response : row.toolResponses()) {
                returned(row.interaction().get().interactionId(), trace, response.callId());
            }
        }
    }

    private void answeredBefore(long modelCallId, String trace, String callId) throws SQLException {
        PreparedStatement find = statements.of(FIND_EXECUTED);
        find.setString(1, trace);
        find.setString(2, callId);
        try (ResultSet executed = find.executeQuery()) {
            if (!executed.next()) {
                return;
            }
            PreparedStatement own = statements.of(FIND_TOOL_CALL);
            own.setLong(1, modelCallId);
            own.setString(2, callId);
            try (ResultSet call = own.executeQuery()) {
                if (call.next()) {
                    link(call.getLong(1), modelCallId, executed.getLong(2), executed.getLong(1));
                }
            }
        }
    }

    private void link(long toolCallId, long modelCallId, long mcpCallId, long evidenceId) throws SQLException {
        PreparedStatement call = statements.of(LINK_TOOL_CALL);
        call.setLong(1, mcpCallId);
        call.setLong(2, toolCallId);
        call.executeUpdate();
        PreparedStatement evidence = statements.of(LINK_EVIDENCE);
        evidence.setLong(1, modelCallId);
        evidence.setLong(2, evidenceId);
        evidence.executeUpdate();
        PreparedStatement normalized = statements.of(LINK_NORMALIZED);
        normalized.setLong(1, evidenceId);
        normalized.executeUpdate();
    }

    private void returned(String interactionId, String trace, String callId) throws SQLException {
        PreparedStatement find = statements.of(FIND_RETURNED);
        find.setString(1, trace);
        find.setString(2, callId);
        try (ResultSet call = find.executeQuery()) {
            if (!call.next()) {
                return;
            }
            PreparedStatement result = statements.of(LINK_RESULT);
            result.setString(1, call.getString(2));
            result.setString(2, interactionId);
            result.setString(3, callId);
            result.executeUpdate();
            PreparedStatement mark = statements.of(MARK_RETURNED);
            mark.setLong(1, call.getLong(1));
            mark.executeUpdate();
        }
    }
}
