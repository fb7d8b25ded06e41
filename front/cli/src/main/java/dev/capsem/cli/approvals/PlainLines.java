package dev.capsem.cli.approvals;

import dev.capsem.cli.screen.Ink;
import dev.capsem.client.ApprovalQuestion;
import java.time.Instant;
import java.util.List;

/// A question in plain lines, for a terminal that says it knows no sequences (`TERM=dumb`). A guest that writes
/// some all the same may shape what comes after them, if the terminal said less than the truth: then nothing is
/// approved here.
final class PlainLines {
    private static final int ESCAPE = 0x1b;
    private static final int EIGHT_BITS = 0xc2;

    private int before;
    private boolean isShaped;

    void wrote(byte[] data) {
        for (byte signed : data) {
            int one = signed & 0xff;
            boolean isSequence = before == EIGHT_BITS && one >= 0x80 && one < 0xa0;
            isShaped |= isSequence || one == ESCAPE || one == 0x0e || one == 0x0f;
            before = one;
        }
    }

    boolean isWhole() {
        return !isShaped;
    }

    List<String> lines(Ink ink, int columns, ApprovalQuestion question, int others, Instant now) {
        return isShaped
                ? List.of(
                        "Capsem asks, but the sandbox wrote sequences to this terminal (TERM=dumb): [d]eny here, or in",
                        "another terminal: capsem approvals")
                : new QuestionBox(ink, columns).lines(question, others, now);
    }
}
