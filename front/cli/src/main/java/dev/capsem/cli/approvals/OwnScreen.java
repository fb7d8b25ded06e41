package dev.capsem.cli.approvals;

import dev.capsem.cli.screen.RawTerminal.Size;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// A screen of our own on a terminal that a guest writes to: the terminal's other screen, with everything undone that a
/// guest can set, and each cell written by us. What the guest had comes back afterwards, and also when this process
/// ends in between.
final class OwnScreen {
    /// A mode as we need it, and as a terminal has it before a guest changes it.
    record Mode(boolean ours, boolean guest) {}

    private static final Mode OFF = new Mode(false, false);

    /// Each can shape what is drawn, or what a key sends.
    static final Map<String, Mode> OUR_MODES = modes();

    /// Ends whatever the guest began: a sequence, a string, a letter, a smaller terminal's language.
    private static final String END_OF_ANYTHING = "\u0018\u0018\u0018\u001b\\\u001b<\u001b%G\u001b[?2026l\u001b[0$}";

    private static final String OTHER_SCREEN = "\u001b[?1049h";

    /// Margins, character sets, look, links, protection, direction, keys; then everything is erased. One by one: some
    /// terminals take the soft reset for leave to go back to their first screen.
    private static final String ALL_UNDONE =
            "\u001b[r\u001b(B\u001b)B\u001b*B\u001b+B\u000f\u001b[0m\u001b]8;;\u001b\\\u001b[0\"q\u001b[0 k\u001b>\u001b[>4;0m\u001b[>0u"
                    + modesAsOurs() + "\u001b[2J";

    private static final String USUAL_COLOURS =
            "\u001b]104\u0007\u001b]105\u0007\u001b]110\u0007\u001b]111\u0007\u001b]112\u0007\u001b]117\u0007\u001b]119\u0007";

    /// The cursor goes home with it, as with margins.
    private static final String ORIGIN = "?6";

    /// Margins, character sets, look, links, protection, direction, keys, as a shell expects them. The cursor stays.
    private static final String AS_BEFORE = "\u001b7\u001b[r\u001b[" + ORIGIN
            + "l\u001b8\u001b(B\u001b)B\u001b*B\u001b+B\u000f\u001b[0m\u001b]8;;\u001b\\\u001b[0\"q\u001b[0 k\u001b>\u001b[>4;0m"
            + "\u001b[=0;1u\u001b[?2004l" + modesAsBefore();

    private static final int COLUMNS_MIN = 24;

    private final PrintStream out;
    private final Supplier<Size> size;
    private final GuestTerminal guest = new GuestTerminal();

    /// The drawn lines and the size of the terminal; empty while the guest has it.
    private Optional<Size> drawn = Optional.empty();

    private boolean isWhole;
    private boolean isOver;
    private @Nullable Thread atExit;

    OwnScreen(PrintStream out, Supplier<Size> size) {
        this.out = out;
        this.size = size;
    }

    private static Map<String, Mode> modes() {
        var modes = new TreeMap<String, Mode>();
        for (String off : List.of(
                "2", "4", "20", "?1", "?5", "?6", "?34", "?42", "?45", "?66", "?69", "?9", "?1000", "?1001", "?1002",
                "?1003", "?1004", "?1005", "?1006", "?1015", "?1016", "?2501")) {
            modes.put(off, OFF);
        }
        modes.put("12", new Mode(true, true));
        // A line that is too long must not push the next one away.
        modes.put("?7", new Mode(false, true));
        modes.put("?25", new Mode(false, true));
        return modes;
    }

    private static String modesAsOurs() {
        var text = new StringBuilder();
        modes().forEach((mode, as) -> text.append("\u001b[").append(mode).append(as.ours() ? 'h' : 'l'));
        return text.toString();
    }

    private static String modesAsBefore() {
        var text = new StringBuilder();
        modes().forEach((mode, as) -> {
            if (!mode.equals(ORIGIN)) {
                text.append("\u001b[").append(mode).append(as.guest() ? 'h' : 'l');
            }
        });
        return text.toString();
    }

    /// The guest is gone: what it may have left set is undone, so that it shapes nothing that the host's shell shows.
    synchronized void undo() {
        if (guest.isTouched()) {
            write(END_OF_ANYTHING
                    + (guest.isOnOtherScreen() ? "\u001b[?1049l" : "")
                    + AS_BEFORE
                    + (guest.hasChangedColours() ? USUAL_COLOURS : ""));
        }
    }

    /// Whether the terminal may have been asked something by the guest.
    synchronized boolean isAnswerDue() {
        return guest.hasAsked();
    }

    /// Asks for a word of the terminal's that comes after all its answers to the guest.
    synchronized void askForLastWord() {
        write(LastWord.QUESTION);
    }

    void wrote(byte[] data) {
        guest.saw(data);
    }

    /// How wide lines may be.
    int columns() {
        return size.get().columns();
    }

    synchronized void draw(List<String> lines) {
        if (isOver) {
            return;
        }
        Size now = size.get();
        var text = new StringBuilder();
        if (drawn.isEmpty()) {
            text.append(END_OF_ANYTHING).append(OTHER_SCREEN).append(ALL_UNDONE);
            text.append(guest.hasChangedColours() ? USUAL_COLOURS : "");
            leaveAtExit();
        }
        if (!drawn.equals(Optional.of(now))) {
            // Erasing is not enough: protected letters stay.
            for (int row = 1; row <= now.rows(); row++) {
                text.append(at(row)).append("\u001b#5").append(" ".repeat(now.columns()));
            }
        }
        drawn = Optional.of(now);
        isWhole = now.rows() >= lines.size() && now.columns() >= COLUMNS_MIN;
        List<String> shown = isWhole ? lines : List.of("[d]eny, or make this window larger to read the question");
        for (int row = 1; row <= shown.size(); row++) {
            text.append(at(row)).append(shown.get(row - 1));
        }
        write(text.toString());
    }

    /// Whether all of it can be read, on the terminal as it is now.
    synchronized boolean isWhole() {
        return isWhole && drawn.equals(Optional.of(size.get()));
    }

    /// True if the guest must draw its screen again.
    synchronized boolean leave() {
        if (drawn.isEmpty()) {
            return false;
        }
        forgetExit();
        return giveBack();
    }

    private boolean giveBack() {
        drawn = Optional.empty();
        boolean stays = guest.isOnOtherScreen();
        write("\u001b[0m\u001b[2J\u001b[H\u001b[<1u" + (stays ? "" : "\u001b[?1049l") + guest.restored());
        byte[] begun = guest.unfinished();
        out.write(begun, 0, begun.length);
        out.flush();
        return stays;
    }

    private void leaveAtExit() {
        atExit = Thread.ofPlatform().name("leave-screen").unstarted(this::exit);
        Runtime.getRuntime().addShutdownHook(atExit);
    }

    private void forgetExit() {
        try {
            if (atExit != null) {
                Runtime.getRuntime().removeShutdownHook(atExit);
            }
        } catch (IllegalStateException exiting) {
            // Then it finds nothing left to do.
        }
    }

    private synchronized void exit() {
        isOver = true;
        if (drawn.isPresent()) {
            giveBack();
        }
    }

    private static String at(int row) {
        return "\u001b[" + row + ";1H";
    }

    private void write(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        out.write(bytes, 0, bytes.length);
        out.flush();
    }
}
