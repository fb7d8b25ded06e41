package dev.capsem.events;

import dev.capsem.events.row.AuditRow;
import dev.capsem.events.row.DnsRow;
import dev.capsem.events.row.ExecCompletion;
import dev.capsem.events.row.ExecRow;
import dev.capsem.events.row.Finding;
import dev.capsem.events.row.FsRow;
import dev.capsem.events.row.GrantUse;
import dev.capsem.events.row.Link;
import dev.capsem.events.row.McpExecutionEvidence;
import dev.capsem.events.row.McpRow;
import dev.capsem.events.row.ModelInteraction;
import dev.capsem.events.row.ModelRow;
import dev.capsem.events.row.NetRow;
import dev.capsem.events.row.RowShape;
import dev.capsem.events.row.SnapshotRow;
import dev.capsem.events.row.Step;
import java.util.List;

/// Every kind of row that an exchange can hold.
public final class EventShapes {
    public static final List<RowShape> ALL = List.of(
            ResolvedEvent.SHAPE,
            Step.Placed.SHAPE,
            Finding.SHAPE,
            Finding.PlacedTag.SHAPE,
            Link.SHAPE,
            ExecRow.SHAPE,
            ExecCompletion.SHAPE,
            FsRow.SHAPE,
            SnapshotRow.SHAPE,
            NetRow.SHAPE,
            GrantUse.SHAPE,
            DnsRow.SHAPE,
            McpRow.SHAPE,
            AuditRow.SHAPE,
            ModelRow.SHAPE,
            ModelRow.ToolCall.SHAPE,
            ModelRow.ToolResponse.SHAPE,
            ModelInteraction.SHAPE,
            ModelInteraction.UsageDetail.SHAPE,
            ModelInteraction.ContentBlock.SHAPE,
            ModelInteraction.ToolCall.SHAPE,
            ModelInteraction.ToolResult.SHAPE,
            McpExecutionEvidence.SHAPE);

    private EventShapes() {}
}
