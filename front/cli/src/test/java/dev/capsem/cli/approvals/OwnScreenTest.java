package dev.capsem.cli.approvals;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.cli.screen.RawTerminal.Size;
import dev.capsem.testkit.terminal.TerminalTrick;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;
import org.jline.utils.ScreenTerminal;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What a terminal shows that a guest wrote to first, as an emulator sees it.
class OwnScreenTest {
    private static final List<String> BOX = List.of("┌── true ──┐", "│ question │", "│ o d      │", "└──────────┘");

    private final ScreenTerminal terminal = new ScreenTerminal(80, 24);
    private final ByteArrayOutputStream written = new ByteArrayOutputStream();
    private final PrintStream out = new PrintStream(written, true, StandardCharsets.UTF_8);
    private Size size = new Size(24, 80);
    private final OwnScreen own = new OwnScreen(out, () -> size);

    private void guest(byte[] bytes) {
        out.write(bytes, 0, bytes.length);
        own.wrote(bytes);
    }

    private void guest(String text) {
        guest(text.getBytes(StandardCharsets.UTF_8));
    }

    /// The screen, after everything that was written so far.
    private List<String> rows() {
        terminal.write(written.toString(StandardCharsets.UTF_8));
        written.reset();
        return terminal.toString().lines().map(String::stripTrailing).toList();
    }

    private List<String> filledRows() {
        return rows().stream().filter(row -> !row.isEmpty()).toList();
    }

    private String said() {
        return written.toString(StandardCharsets.UTF_8);
    }

    @TestFactory
    Stream<DynamicTest> noTrickShapesWhatIsDrawn() {
        return TerminalTrick.all().stream()
                .map(trick -> DynamicTest.dynamicTest(trick.name(), () -> new OwnScreenTest().survives(trick)));
    }

    private void survives(TerminalTrick trick) {
        guest(trick.bytes());

        own.draw(BOX);
        assertThat(filledRows()).isEqualTo(BOX);
        assertThat(own.isWhole()).isTrue();

        own.draw(BOX);
        assertThat(filledRows()).isEqualTo(BOX);
        own.leave();
        assertThat(filledRows()).isNotEqualTo(BOX).noneMatch(row -> row.contains("true"));
    }

    @Test
    void theQuestionIsNoLinkOfTheGuests() {
        guest("\u001b]8;;https://harmless.example/\u001b\\look");
        written.reset();

        own.draw(BOX);

        assertThat(said()).contains("\u001b]8;;\u001b\\");
        assertThat(said().indexOf("\u001b]8;;\u001b\\")).isLessThan(said().indexOf("true"));
    }

    @Test
    void whatTheGuestHadIsBackAfterwards() {
        guest("one\r\ntwo\r\n# ");
        List<String> before = rows();

        own.draw(BOX);
        assertThat(filledRows()).isEqualTo(BOX);
        assertThat(own.leave()).isFalse();

        assertThat(rows()).isEqualTo(before);
        guest("ls");
        assertThat(filledRows()).containsExactly("one", "two", "# ls");
    }

    @Test
    void aGuestOnTheOtherScreenStaysThereAndDrawsAgain() {
        guest("shell\u001b[?10");
        guest("49h\u001b[Heditor");
        own.draw(BOX);
        assertThat(filledRows()).isEqualTo(BOX);

        assertThat(own.leave()).isTrue();

        assertThat(filledRows()).isEmpty();
        guest("\u001b[Heditor\u001b[?1049l");
        assertThat(filledRows()).containsExactly("shell");
    }

    @Test
    void whatTheGuestHadBegunGoesOn() {
        guest("\u001b[3");
        own.draw(BOX);
        own.leave();
        guest("1mred ");
        guest(new byte[] {(byte) 0xe2, (byte) 0x94});
        own.draw(BOX);
        own.leave();
        guest(new byte[] {(byte) 0x80});

        assertThat(filledRows())
                .singleElement()
                .satisfies(row -> assertThat(row).startsWith("red ").endsWith("─"));
    }

    @Test
    void modesAndMarginsOfTheGuestAreBack() {
        guest("\u001b[?1h\u001b=\u001b[?1000;1006h\u001b[3;20r\u001b[?25l");
        own.draw(BOX);
        written.reset();

        own.leave();

        assertThat(said())
                .contains("\u001b[?1h", "\u001b=", "\u001b[?1000h", "\u001b[?1006h", "\u001b[3;20r", "\u001b[?7h")
                .doesNotContain("\u001b[?25h");
    }

    @Test
    void aResetOfTheGuestsIsOneForUsToo() {
        guest("\u001b[?1049h\u001b[?1h\u001b[3;20r\u001bc");
        own.draw(BOX);
        written.reset();

        assertThat(own.leave()).isFalse();

        assertThat(said()).contains("\u001b[?1049l", "\u001b[?25h").doesNotContain("\u001b[?1h", "\u001b[3;20r");
    }

    @Test
    void coloursAreLeftAloneUnlessTheGuestMayHaveChangedThem() {
        String reset = "\u001b]104";
        guest("\u001b]0;a title\u0007\u001b]8;;https://a/\u001b\\“text”");
        own.draw(BOX);
        assertThat(said()).doesNotContain(reset);
        own.leave();
        written.reset();

        // A line feed in the middle of a sequence is obeyed, and the sequence goes on.
        guest("\u001b\n]4;3;#000000\u0007");
        own.draw(BOX);

        assertThat(said()).contains(reset);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\u001b[6n",
                "\u001b[c",
                "\u001b[>0q",
                "\u001b[21t",
                "\u001b[?u",
                "\u001b[?2026$p",
                "\u001bZ",
                "\u0005",
                "\u001b]11;?\u0007",
                "\u001b]52;c;?\u001b\\",
                "\u001bP$qm\u001b\\",
                "\u001bP+q544e\u001b\\",
                "\u001b_Gi=31,a=q;AAAA\u001b\\",
                "\u009b6n",
                "\u001b[6",
                "\u001b]11;?"
            })
    void whatATerminalAnswersIsWaitedFor(String question) {
        guest("text " + question);

        assertThat(own.isAnswerDue()).isTrue();
    }

    @Test
    void aProgramThatOnlyWritesInColoursIsNotWaitedForAndNothingIsUndone() {
        guest("\u001b[1;32mgreen\u001b[0m\u001b[K\r\n\u001b[2A\u00fc");
        written.reset();

        own.undo();

        assertThat(own.isAnswerDue()).isFalse();
        assertThat(said()).isEmpty();
    }

    @Test
    void whatAGuestLeftSetShapesNothingAfterIt() {
        guest("\u001b[2;3rone\r\ntwo\u001b[?1003h\u001b[?25l\u001b(0\u001b[8m\u001b[?2004h\u001b[?1049hover");

        own.undo();
        assertThat(said())
                .contains("\u001b[?1049l", "\u001b[?1003l", "\u001b[?25h", "\u001b[r", "\u001b[0m", "\u001b[?2004l");
        out.print("\r\nqxl");

        assertThat(rows())
                .as("letters are letters, and the other screen is gone")
                .contains("one", "qxl")
                .doesNotContain("over");
    }

    @Test
    void aWindowThatIsTooSmallIsNotWhole() {
        size = new Size(3, 80);
        own.draw(BOX);
        assertThat(own.isWhole()).isFalse();
        assertThat(filledRows()).containsExactly("[d]eny, or make this window larger to read the question");

        size = new Size(24, 80);
        assertThat(own.isWhole()).isFalse();
        own.draw(BOX);
        assertThat(own.isWhole()).isTrue();
        assertThat(filledRows()).isEqualTo(BOX);

        size = new Size(24, 10);
        assertThat(own.isWhole()).isFalse();
    }
}
