package dev.capsem.cli.approvals;

import dev.capsem.cli.screen.Printable;
import dev.capsem.cli.screen.RawTerminal.Size;
import dev.capsem.cli.screen.Screen;
import dev.capsem.client.ApprovalQuestion;
import java.time.Instant;
import java.util.function.Supplier;

/// A box between the lines of a guest's program, on a raw terminal that cannot move its cursor (`TERM=dumb`).
final class LineSurface implements Surface {
    private static final String NEW_LINE = "\r\n";

    private final Screen screen;
    private final Supplier<Size> size;
    private final PlainLines plain = new PlainLines();

    LineSurface(Screen screen, Supplier<Size> size) {
        this.screen = screen;
        this.size = size;
    }

    @Override
    public boolean show(ApprovalQuestion question, int others, Instant now) {
        int columns = size.get().columns();
        print(NEW_LINE
                + String.join(NEW_LINE, plain.lines(screen.outInk(), columns, question, others, now))
                + NEW_LINE);
        return true;
    }

    @Override
    public void refresh(ApprovalQuestion question, int others, Instant now) {
        // It says how long there was when it came up.
    }

    @Override
    public void hide() {
        // Lines stay.
    }

    @Override
    public void over(ApprovalQuestion question, String told) {
        print("  → " + Printable.line(told) + NEW_LINE);
    }

    @Override
    public boolean takesKeys() {
        return true;
    }

    @Override
    public boolean isWhole() {
        return plain.isWhole();
    }

    @Override
    public void wrote(byte[] data) {
        plain.wrote(data);
    }

    private void print(String text) {
        screen.out().print(text);
        screen.out().flush();
    }
}
