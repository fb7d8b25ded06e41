package dev.capsem.client.io;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.client.ApprovalFeed.Change;
import dev.capsem.client.ApprovalQuestion;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ApprovalEventStreamTest {
    private static final String ROW =
            "{\"id\":\"q1\",\"sandbox\":\"lab\",\"subject\":\"s\",\"deadline\":\"2026-01-31T12:02:00Z\",\"newer\":1}";

    @Test
    void readsWhatTheServiceStreams() {
        assertThat(ApprovalEventStream.change("snapshot", "{\"pending\":[" + ROW + "]}"))
                .hasValueSatisfying(change ->
                        assertThat(((Change.Snapshot) change).pending()).hasSize(1));
        assertThat(ApprovalEventStream.change("pending", ROW)).hasValueSatisfying(change -> {
            ApprovalQuestion question = ((Change.Asked) change).question();
            assertThat(question.id()).isEqualTo("q1");
            assertThat(question.reason()).isEmpty();
            assertThat(question.scopes()).containsExactly("once", "session");
        });
        assertThat(ApprovalEventStream.change("resolved", "{\"id\":\"q1\",\"outcome\":\"denied\"}"))
                .hasValue(new Change.Resolved("q1", "", "denied", Optional.empty(), Optional.empty()));
    }

    @ParameterizedTest
    @CsvSource({"newer,{}", "pending,nonsense", "pending,{}", "resolved,[]", "'',{}"})
    void skipsWhatItDoesNotKnow(String kind, String data) {
        assertThat(ApprovalEventStream.change(kind, data)).isEmpty();
    }
}
