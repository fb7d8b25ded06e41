package dev.capsem.cli.approvals;

import dev.capsem.cli.screen.RawTerminal.Size;
import dev.capsem.cli.screen.Screen;
import dev.capsem.client.ApprovalQuestion;
import java.time.Instant;
import java.util.function.Supplier;

/// A box on a screen of its own over that of a guest program, in raw mode. A program that uses the whole screen is told
/// to draw it again afterwards.
final class OverlaySurface implements Surface {
    private final Screen screen;
    private final Runnable redraw;
    private final OwnScreen own;

    /// @param redraw makes the guest program draw its screen again
    OverlaySurface(Screen screen, Supplier<Size> size, Runnable redraw) {
        this.screen = screen;
        this.redraw = redraw;
        this.own = new OwnScreen(screen.out(), size);
    }

    @Override
    public boolean show(ApprovalQuestion question, int others, Instant now) {
        refresh(question, others, now);
        return true;
    }

    @Override
    public void refresh(ApprovalQuestion question, int others, Instant now) {
        own.draw(new QuestionBox(screen.outInk(), own.columns()).lines(question, others, now));
    }

    @Override
    public void hide() {
        if (own.leave()) {
            redraw.run();
        }
    }

    @Override
    public void over(ApprovalQuestion question, String told) {
        // The program goes on, or is told no: that is answer enough where it draws.
    }

    @Override
    public boolean takesKeys() {
        return true;
    }

    @Override
    public boolean isWhole() {
        return own.isWhole();
    }

    @Override
    public void wrote(byte[] data) {
        own.wrote(data);
    }

    @Override
    public boolean quit() {
        own.undo();
        boolean isDue = own.isAnswerDue();
        if (isDue) {
            own.askForLastWord();
        }
        return isDue;
    }
}
