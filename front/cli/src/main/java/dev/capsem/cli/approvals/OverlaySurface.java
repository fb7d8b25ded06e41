package dev.capsem.cli.approvals;

import dev.capsem.cli.client.Question;
import dev.capsem.cli.screen.Screen;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.function.IntSupplier;

/// A box under the cursor of a terminal that a guest program draws on, in raw mode. The cursor is put back afterwards;
/// a program that uses the whole screen is told to draw it again.
final class OverlaySurface implements Surface {
    private static final String SAVE = "\u001b7";
    private static final String RESTORE = "\u001b8";
    private static final String CLEAR_BELOW = "\u001b[J";
    private static final String NORMAL_LOOK = "\u001b[0m";

    private final Screen screen;
    private final IntSupplier columns;
    private final Runnable redraw;
    private final FullScreen guest = new FullScreen();
    private boolean isUp;

    /// @param redraw makes the guest program draw its screen again
    OverlaySurface(Screen screen, IntSupplier columns, Runnable redraw) {
        this.screen = screen;
        this.columns = columns;
        this.redraw = redraw;
    }

    @Override
    public boolean show(Question question, int others, Instant now) {
        List<String> lines = box(question, others, now);
        // Line feeds make room, scrolling if they must; in raw mode they keep the column, so going up again is exact.
        screen.out().print("\n".repeat(lines.size()) + "\u001b[" + lines.size() + "A" + SAVE);
        isUp = true;
        draw(lines);
        return true;
    }

    @Override
    public void refresh(Question question, int others, Instant now) {
        if (isUp) {
            screen.out().print(RESTORE);
            draw(box(question, others, now));
        }
    }

    @Override
    public void hide() {
        if (!isUp) {
            return;
        }
        isUp = false;
        screen.out().print(RESTORE + "\u001b[B\r" + CLEAR_BELOW + RESTORE);
        screen.out().flush();
        if (guest.isOn()) {
            redraw.run();
        }
    }

    @Override
    public void over(Question question, String told) {
        // The program goes on, or is told no: that is answer enough where it draws.
    }

    @Override
    public boolean takesKeys() {
        return true;
    }

    @Override
    public void wrote(byte[] data) {
        guest.saw(data);
    }

    private List<String> box(Question question, int others, Instant now) {
        return new QuestionBox(screen.outInk(), columns.getAsInt()).lines(question, others, now);
    }

    private void draw(List<String> lines) {
        screen.out().print(NORMAL_LOOK);
        lines.forEach(line -> screen.out().print("\r\n" + line));
        screen.out().flush();
    }

    /// Whether the guest uses the terminal's other screen, told from what it wrote.
    static final class FullScreen {
        private static final List<String> ENTER = List.of("\u001b[?1049h", "\u001b[?1047h", "\u001b[?47h");
        private static final List<String> LEAVE = List.of("\u001b[?1049l", "\u001b[?1047l", "\u001b[?47l");
        private static final int SEQUENCE_MAX = 8;

        private boolean isOn;
        private String tail = "";

        void saw(byte[] data) {
            String text = tail + new String(data, StandardCharsets.ISO_8859_1);
            int entered = last(text, ENTER);
            int left = last(text, LEAVE);
            if (entered != left) {
                isOn = entered > left;
            }
            tail = text.substring(Math.max(0, text.length() - SEQUENCE_MAX + 1));
        }

        boolean isOn() {
            return isOn;
        }

        private static int last(String text, List<String> sequences) {
            return sequences.stream().mapToInt(text::lastIndexOf).max().orElse(-1);
        }
    }
}
