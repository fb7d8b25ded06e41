package dev.capsem.testkit.terminal;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/// What a guest writes to shape what comes after it on the terminal. Each begins with a forged question, to be taken
/// for the true one.
public record TerminalTrick(String name, byte[] bytes) {
    /// No true question says this.
    public static final String FORGED = "harmless.example";

    private static final String FORGERY = "\u001b[2J\u001b[3;1H┌─ Capsem asks · lab ───────────────────┐"
            + "\u001b[4;1H│ GET https://" + FORGED + "/simple/x/ │"
            + "\u001b[5;1H│ rule     security.rules.http.registry │\u001b[6;1H";

    private static TerminalTrick of(String name, String text) {
        return new TerminalTrick(name, (FORGERY + text).getBytes(StandardCharsets.UTF_8));
    }

    private static TerminalTrick half(String name, int... bytes) {
        var all = new ByteArrayOutputStream();
        all.writeBytes(FORGERY.getBytes(StandardCharsets.UTF_8));
        for (int one : bytes) {
            all.write(one);
        }
        return new TerminalTrick(name, all.toByteArray());
    }

    public static List<TerminalTrick> all() {
        return List.of(
                of("nothing but a forgery", ""),
                of("two lines that scroll", "\u001b[6;7r\u001b[6;1H"),
                of("two lines that scroll, at the top", "\u001b[1;2r"),
                of("two lines that scroll, at the bottom", "\u001b[23;24r\u001b[24;1H"),
                of("positions within margins", "\u001b[6;9r\u001b[?6h"),
                of("left and right margins", "\u001b[?69h\u001b[2;9s"),
                of("lines for letters", "\u001b(0"),
                of("lines for letters, shifted out", "\u001b)0\u000e"),
                of("another country's letters", "\u001b(A\u001b)K\u000e"),
                of("locked to the third set", "\u001b*0\u001bn"),
                of("one letter of the third set", "\u001b*0\u001bN"),
                of("no UTF-8", "\u001b%@"),
                of("black on black", "\u001b[30;40m"),
                of("concealed", "\u001b[8m"),
                of("reversed screen", "\u001b[?5h\u001b[7m"),
                of("a palette of one colour", "\u001b]4;3;#000000;7;#000000;15;#000000\u0007"),
                of("letters in the colour of the ground", "\u001b]10;#000000\u001b\\\u001b]11;#000000\u001b\\"),
                of("bold in the colour of the ground", "\u001b]5;0;#000000\u001b\\"),
                of("letters are inserted", "\u001b[4h"),
                of("lines do not wrap", "\u001b[?7l"),
                of("line feeds return", "\u001b[20h"),
                of("no cursor", "\u001b[?25l"),
                of("the other screen", "\u001b[?1049h" + FORGERY),
                of("the other screen of old", "\u001b[?47h" + FORGERY),
                of("the other screen, with margins", "\u001b[?1047h" + FORGERY + "\u001b[6;7r\u001b[6;1H"),
                of("on and off the other screen", "\u001b[?1049h\u001b[?1049l\u001b[?1049h\u001b[?47l" + FORGERY),
                of("a saved cursor with another look", "\u001b(0\u001b[8m\u001b[24;80H\u001b7\u001b[H"),
                of("double height", "\u001b[1;1H\u001b#3\u001b[2;1H\u001b#4\u001b[6;1H"),
                of("a screen of letters", "\u001b#8" + FORGERY),
                of("protected letters", "\u001bV" + FORGERY + "\u001bW"),
                of("letters protected from selective erasure", "\u001b[1\"q" + FORGERY),
                of("a smaller terminal's language", "\u001b[?2l"),
                of("no tab stops", "\u001b[3g"),
                of("into the status line", "\u001b[1$}"),
                of("held until told", "\u001b[?2026h"),
                of("from right to left", "\u001b[2 k\u001b[?2501h"),
                of("keys as sequences", "\u001b[>31u\u001b[>4;2m\u001b[?66h"),
                of("a mouse that talks", "\u001b[?1003h\u001b[?1006h\u001b[?1004h"),
                of("a link without an end", "\u001b]8;;https://" + FORGED + "/\u001b\\"),
                of("a window of two lines", "\u001b[8;2;10t"),
                of("a terminal that is asked", "\u001b[c\u001b[6n\u001b[>q\u001b]11;?\u0007\u001b]4;1;?\u0007\u0005"),
                of("letters that nobody sees", "\u202e\u2066\u200d\ufe0f" + "\u0301".repeat(300)),
                of("a lone escape", "\u001b"),
                of("half a sequence", "\u001b["),
                of("half a colour", "\u001b[38;2;1;"),
                of("half a private mode", "\u001b[?1049"),
                of("half a title", "\u001b]0;"),
                of("half a clipboard", "\u001b]52;c;aGFybWxlc3M"),
                of("half the end of a title", "\u001b]2;x\u001b"),
                of("half a device string", "\u001bP"),
                of("half a picture", "\u001bPq#0;2;0;0;0"),
                of("half an application's string", "\u001b_Gf=100;"),
                of("half a private message", "\u001b^"),
                of("half a string", "\u001bX"),
                of("half a choice of letters", "\u001b("),
                of("half a coding", "\u001b%"),
                of("half a line size", "\u001b#"),
                of("half a sequence of eight bits", "\u009b3"),
                half("half a letter", 0xe2, 0x94),
                half("half a picture letter", 0xf0, 0x9f, 0x98),
                half("a lead without an end", 0xc2),
                half("sequences of eight bits", 0x9b, '6', ';', '7', 'r', 0x9d, '0', ';'));
    }
}
