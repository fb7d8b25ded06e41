package dev.capsem.cli.approvals;

import java.io.ByteArrayOutputStream;

/// What was typed while a question was up and is no answer: the program gets it when the question is gone. A guest
/// chooses when its question comes up, so that this happens to everybody who types.
final class KeptKeys {
    /// More than anybody types in two minutes; what is pasted beyond is lost.
    static final int BYTES_MAX = 64 * 1024;

    /// The receiver of the keys.
    interface Program {
        void input(byte[] data, int length);
    }

    private final Program program;
    private final ByteArrayOutputStream kept = new ByteArrayOutputStream();

    KeptKeys(Program program) {
        this.program = program;
    }

    /// False when there is no room.
    boolean keep(byte[] typed, int length) {
        if (kept.size() + length > BYTES_MAX) {
            return false;
        }
        kept.write(typed, 0, length);
        return true;
    }

    void giveBack() {
        if (kept.size() > 0) {
            byte[] all = kept.toByteArray();
            kept.reset();
            program.input(all, all.length);
        }
    }

    void forget() {
        kept.reset();
    }
}
