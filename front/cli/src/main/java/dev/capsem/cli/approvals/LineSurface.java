package dev.capsem.cli.approvals;

import dev.capsem.cli.client.Question;
import dev.capsem.cli.screen.Printable;
import dev.capsem.cli.screen.Screen;
import java.time.Instant;
import java.util.function.IntSupplier;

/// A box between the lines of a guest's program, on a raw terminal that cannot move its cursor (`TERM=dumb`).
final class LineSurface implements Surface {
    private static final String NEW_LINE = "\r\n";

    private final Screen screen;
    private final IntSupplier columns;

    LineSurface(Screen screen, IntSupplier columns) {
        this.screen = screen;
        this.columns = columns;
    }

    @Override
    public boolean show(Question question, int others, Instant now) {
        int width = columns.getAsInt();
        var box = new QuestionBox(screen.outInk(), width > 1 ? width : ScrollSurface.COLUMNS_DEFAULT);
        print(NEW_LINE + String.join(NEW_LINE, box.lines(question, others, now)) + NEW_LINE);
        return true;
    }

    @Override
    public void refresh(Question question, int others, Instant now) {
        // It says how long there was when it came up.
    }

    @Override
    public void hide() {
        // Lines stay.
    }

    @Override
    public void over(Question question, String told) {
        print("  → " + Printable.line(told) + NEW_LINE);
    }

    @Override
    public boolean takesKeys() {
        return true;
    }

    private void print(String text) {
        screen.out().print(text);
        screen.out().flush();
    }
}
