/// Questions to a person. Entry type: `ApprovalQueue`, the approval desk of one sandbox: it holds what rules say to ask
/// about until whoever attends answers, or until its time is up. No approver, no answer, no room: refused. Knows
/// nothing of connections; `process.ipc` brings the attendants.
@NullMarked
package dev.capsem.process.approve;

import org.jspecify.annotations.NullMarked;
