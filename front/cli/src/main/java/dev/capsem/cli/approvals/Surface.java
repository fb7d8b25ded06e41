package dev.capsem.cli.approvals;

import dev.capsem.client.ApprovalQuestion;
import java.time.Instant;

/// Where questions are shown. Called by one thread at a time, and never while the guest's output is being written.
interface Surface {
    /// False when the question cannot be answered here.
    ///
    /// @param others how many more wait
    boolean show(ApprovalQuestion question, int others, Instant now);

    /// A second passed.
    void refresh(ApprovalQuestion question, int others, Instant now);

    /// Takes the question away; the guest's output goes on where it was.
    void hide();

    /// @param told what became of it
    void over(ApprovalQuestion question, String told);

    /// Whether keys can answer here.
    boolean takesKeys();

    /// Whether all of the question can be read here, undisturbed by the guest: only then can it be approved here.
    default boolean isWhole() {
        return true;
    }

    /// Called once, before anything is shown: who takes keys that this surface reads by itself.
    default void listen(Keys keys) {}

    /// Takes what was typed.
    interface Keys {
        /// Whether it was for a question.
        boolean take(byte[] typed, int length);
    }

    /// Called after guest output was written to a terminal.
    default void wrote(byte[] data) {}

    /// The guest is gone: its terminal is put back as it was.
    ///
    /// @return whether the terminal was asked for a last word, which comes as if it were typed
    default boolean quit() {
        return false;
    }
}
