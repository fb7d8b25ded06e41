/// Questions that rules put to a person: listed, answered, and shown while a command runs. Entry type for the latter:
/// `ApprovalPrompt`, which reads what is asked and holds the guest's output while a question is up; `Surface` draws it,
/// `AnswerKeys` decides whether a key is an answer. Nothing here approves by itself.
@NullMarked
package dev.capsem.cli.approvals;

import org.jspecify.annotations.NullMarked;
