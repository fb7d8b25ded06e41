package dev.capsem.cli.approvals;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeMap;

/// What a guest did to our terminal, told from what it wrote, so that its modes can be put back after a question. Only
/// looks and comfort depend on it: what a guest hides from this reader is undone for the question all the same.
final class GuestTerminal {
    /// Longer ones are strings that nobody needs again.
    private static final int SEQUENCE_MAX = 4096;

    private static final int LOOK_MAX = 256;
    private static final char ESCAPE = '\u001b';
    private static final int CANCEL = 0x18;
    private static final int SUBSTITUTE = 0x1a;
    private static final int BELL = 0x07;

    private static final String SIDE_MARGINS = "?69";
    private static final Set<String> OTHER_SCREEN = Set.of("?47", "?1047", "?1049");

    /// Titles, directories, links, notes, the clipboard, marks of a prompt.
    private static final Set<String> HARMLESS_STRINGS = Set.of("0", "1", "2", "7", "8", "9", "52", "133", "633", "777");

    /// Sequences that move, write, erase and colour, and leave nothing behind but letters.
    private static final String PASSING = "@ABCDEFGHIJKLMPSTXZ`abdefm";

    /// Sequences that terminals answer, on the way that keys take.
    private static final String ANSWERED = "cnpqtuvwxy";

    private static final int ENQUIRY = 0x05;

    private enum Reading {
        TEXT,
        LETTER,
        ESCAPE,
        SEQUENCE,
        STRING,
        STRING_ESCAPE
    }

    private Reading reading = Reading.TEXT;
    private final ByteArrayOutputStream unfinished = new ByteArrayOutputStream();
    private int lettersLeft;

    /// As the guest set them: the mode, and whether it is on.
    private final TreeMap<String, Boolean> modes = new TreeMap<>();

    private String margins = "";
    private String sideMargins = "";
    private String look = "";
    private final TreeMap<Character, String> letters = new TreeMap<>();
    private boolean isShiftedOut;
    private boolean hasKeypad;
    private boolean isOther;
    private boolean hasColours;
    private boolean isTouched;
    private boolean hasAsked;

    void saw(byte[] data) {
        for (byte one : data) {
            saw(one & 0xff);
        }
    }

    /// Whether it uses the other screen.
    boolean isOnOtherScreen() {
        return isOther;
    }

    /// Whether it may have changed what colours look like.
    boolean hasChangedColours() {
        return hasColours;
    }

    /// Whether it may have set something that lasts.
    boolean isTouched() {
        return isTouched || isWithinSequence();
    }

    /// Whether it may have asked the terminal something: the answer comes as if it were typed.
    boolean hasAsked() {
        return hasAsked || isWithinSequence();
    }

    private boolean isWithinSequence() {
        return reading != Reading.TEXT && reading != Reading.LETTER;
    }

    private void touched() {
        isTouched = true;
        hasAsked = true;
    }

    private void saw(int one) {
        if (one == CANCEL || one == SUBSTITUTE) {
            toText();
            return;
        }
        switch (reading) {
            case TEXT -> text(one);
            case LETTER -> letter(one);
            case ESCAPE -> escape(one);
            case SEQUENCE -> sequence(one);
            case STRING, STRING_ESCAPE -> string(one);
        }
    }

    private void text(int one) {
        if (one == ESCAPE) {
            begin(Reading.ESCAPE, one);
        } else if (one == 0x0e || one == 0x0f) {
            isShiftedOut = one == 0x0e;
            isTouched = true;
        } else if (one >= 0xc2 && one < 0xf5) {
            lettersLeft = one >= 0xf0 ? 3 : one >= 0xe0 ? 2 : 1;
            begin(Reading.LETTER, one);
        } else if (one == ENQUIRY) {
            hasAsked = true;
        } else if (one >= 0x80 && one < 0xa0) {
            // A terminal that reads eight bits takes it for the beginning of a sequence.
            hasColours |= one == 0x90 || one == 0x9d;
            touched();
        }
    }

    private void letter(int one) {
        if (one < 0x80 || one >= 0xc0) {
            toText();
            text(one);
            return;
        }
        if (unfinished.size() == 1 && unfinished.toByteArray()[0] == (byte) 0xc2 && one < 0xa0) {
            hasColours = true;
            touched();
        }
        keep(one);
        if (--lettersLeft == 0) {
            toText();
        }
    }

    private void escape(int one) {
        keep(one);
        if (one == ESCAPE) {
            begin(Reading.ESCAPE, one);
        } else if (one == '[' && unfinished.size() == 2) {
            reading = Reading.SEQUENCE;
        } else if ("]P_^X".indexOf(one) >= 0) {
            hasColours |= one == 'P';
            reading = Reading.STRING;
        } else if (one >= 0x30 && one < 0x7f) {
            ended(printable(1));
            toText();
        }
    }

    private void sequence(int one) {
        if (one == ESCAPE) {
            begin(Reading.ESCAPE, one);
            return;
        }
        keep(one);
        if (one >= 0x40 && one < 0x7f) {
            String whole = printable(2);
            control(whole.substring(0, whole.length() - 1), (char) one);
            toText();
        }
    }

    private void string(int one) {
        keep(one);
        if (one == BELL || (reading == Reading.STRING_ESCAPE && one == '\\')) {
            told();
            toText();
        } else if (reading == Reading.STRING_ESCAPE && one != ESCAPE) {
            told();
            begin(Reading.ESCAPE, ESCAPE);
            escape(one);
        } else {
            reading = one == ESCAPE ? Reading.STRING_ESCAPE : Reading.STRING;
        }
    }

    /// A string is over.
    private void told() {
        String text = printable(1);
        isTouched = true;
        hasAsked |= !text.startsWith("]") || text.contains("?");
        if (text.startsWith("]")) {
            hasColours |= !HARMLESS_STRINGS.contains(text.substring(1).split("[^0-9]", 2)[0]);
        }
    }

    private void ended(String sequence) {
        isTouched |= sequence.length() != 1 || "78DEM".indexOf(sequence.charAt(0)) < 0;
        hasAsked |= sequence.equals("Z");
        switch (sequence) {
            case "c" -> reset();
            case "=", ">" -> hasKeypad = sequence.equals("=");
            default -> {
                if (sequence.length() == 2 && "()*+".indexOf(sequence.charAt(0)) >= 0) {
                    letters.put(sequence.charAt(0), sequence);
                }
            }
        }
    }

    private void control(String parameters, char end) {
        isTouched |= PASSING.indexOf(end) < 0;
        hasAsked |= ANSWERED.indexOf(end) >= 0;
        switch (end) {
            case 'h', 'l' -> set(parameters, end == 'h');
            case 'm' -> look(parameters);
            case 'r' -> margins = isNumbers(parameters) ? parameters : margins;
            case 's' -> sideMargins = isNumbers(parameters) ? parameters : sideMargins;
            case 'p' -> {
                if (parameters.equals("!")) {
                    soften();
                }
            }
            default -> {}
        }
    }

    private void set(String parameters, boolean isOn) {
        String kind = parameters.startsWith("?") ? "?" : "";
        String numbers = parameters.substring(kind.length());
        if (!isNumbers(numbers)) {
            return;
        }
        for (String number : numbers.split(";", -1)) {
            String mode = kind + number;
            if (OTHER_SCREEN.contains(mode)) {
                isOther = isOn;
            } else if (OwnScreen.OUR_MODES.containsKey(mode)) {
                modes.put(mode, isOn);
            }
        }
    }

    private void look(String parameters) {
        if (!parameters.chars().allMatch(c -> c >= '0' && c <= ';')) {
            return;
        }
        boolean isNormal = Arrays.stream(parameters.split(";", 2))
                .findFirst()
                .orElse("")
                .replace("0", "")
                .isEmpty();
        String more = ESCAPE + "[" + parameters + "m";
        look = isNormal || look.length() + more.length() > LOOK_MAX ? more : look + more;
    }

    private void soften() {
        modes.clear();
        margins = "";
        sideMargins = "";
        look = "";
        letters.clear();
        isShiftedOut = false;
        hasKeypad = false;
    }

    private void reset() {
        soften();
        isOther = false;
    }

    /// What leads from the state that [OwnScreen] left behind to the guest's.
    String restored() {
        var text = new StringBuilder();
        boolean hasSides = modes.getOrDefault(SIDE_MARGINS, false);
        if (!margins.isEmpty() || hasSides) {
            // Margins move the cursor.
            text.append("\u001b7\u001b[").append(margins).append('r');
            if (hasSides) {
                text.append("\u001b[?69h\u001b[").append(sideMargins).append('s');
            }
            text.append("\u001b8");
        }
        if (isOther) {
            text.append(look);
            letters.values().forEach(set -> text.append(ESCAPE).append(set));
            text.append(isShiftedOut ? "\u000e" : "");
        }
        OwnScreen.OUR_MODES.forEach((mode, usual) -> {
            boolean isOn = modes.getOrDefault(mode, usual.guest());
            if (isOn != usual.ours() && !mode.equals(SIDE_MARGINS)) {
                text.append(ESCAPE).append('[').append(mode).append(isOn ? 'h' : 'l');
            }
        });
        text.append(hasKeypad ? "\u001b=" : "");
        return text.toString();
    }

    /// A sequence or letter that the guest had begun: written again, it goes on where it was.
    byte[] unfinished() {
        return reading == Reading.TEXT || unfinished.size() >= SEQUENCE_MAX ? new byte[0] : unfinished.toByteArray();
    }

    private void begin(Reading what, int first) {
        unfinished.reset();
        unfinished.write(first);
        reading = what;
    }

    private void keep(int one) {
        if (unfinished.size() < SEQUENCE_MAX) {
            unfinished.write(one);
        }
    }

    private void toText() {
        unfinished.reset();
        reading = Reading.TEXT;
    }

    /// Terminals obey control characters in the middle of a sequence, and go on with it.
    private String printable(int from) {
        String all = unfinished.toString(StandardCharsets.ISO_8859_1);
        return all.substring(Math.min(from, all.length())).replaceAll("[^ -~]", "");
    }

    private static boolean isNumbers(String text) {
        return text.chars().allMatch(c -> (c >= '0' && c <= '9') || c == ';');
    }
}
