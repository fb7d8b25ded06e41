package dev.capsem.cli.approvals;

import dev.capsem.cli.screen.Printable;
import dev.capsem.cli.screen.Screen;
import dev.capsem.client.ApprovalQuestion;
import java.time.Instant;

/// Where nobody can be asked: one line on stderr that says how to answer from elsewhere.
final class RemarkSurface implements Surface {
    private final Screen screen;

    RemarkSurface(Screen screen) {
        this.screen = screen;
    }

    @Override
    public boolean show(ApprovalQuestion question, int others, Instant now) {
        screen.remark("capsem: waits for an answer, " + question.secondsLeft(now) + " s: "
                + Printable.line(question.subject()) + " (" + Printable.line(question.rule())
                + "); in another terminal: capsem approvals approve " + Printable.line(question.id()));
        return false;
    }

    @Override
    public void refresh(ApprovalQuestion question, int others, Instant now) {
        // Said once.
    }

    @Override
    public void hide() {
        // A line stays.
    }

    @Override
    public void over(ApprovalQuestion question, String told) {
        screen.remark("capsem: " + Printable.line(told) + ": " + Printable.line(question.subject()));
    }

    @Override
    public boolean takesKeys() {
        return false;
    }
}
