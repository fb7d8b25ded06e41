package dev.capsem.process.approve;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.events.Correlation;
import dev.capsem.events.row.Attribution;
import dev.capsem.events.security.Body;
import dev.capsem.events.security.ClaimedCaller;
import dev.capsem.events.security.Envelope;
import dev.capsem.events.security.Headers;
import dev.capsem.events.security.SecurityEvent;
import dev.capsem.events.vocabulary.IdSource;
import java.time.Instant;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

class SubjectTest {
    private static SecurityEvent.HttpRequest request(String process) {
        IdSource ids = new IdSource(() -> Instant.EPOCH, new Random(1));
        Envelope envelope = Envelope.inline(ids.nextEventId(), Instant.EPOCH, Attribution.UNKNOWN, Correlation.NONE)
                .withCaller(new ClaimedCaller(Optional.of(process), Optional.empty()));
        return new SecurityEvent.HttpRequest(
                envelope, "GET", "https", "a.example", 443, "/x", Optional.empty(), Headers.NONE, Body.NONE);
    }

    @Test
    void namesTheProcessBehindARequestAndOneOfItsAnswer() {
        SecurityEvent.HttpRequest asked = request("npm");
        SecurityEvent.HttpResponse answer =
                new SecurityEvent.HttpResponse(asked.envelope(), asked, 200, Headers.NONE, Body.NONE);

        assertThat(Subject.of(asked).processName()).contains("npm");
        assertThat(Subject.of(answer).processName()).contains("npm");
    }

    /// The guest chooses the name: whatever it calls itself, the question is the same.
    @Test
    void theProcessIsNoPartOfTheKey() {
        assertThat(Subject.of(request("npm")).key())
                .isEqualTo(Subject.of(request("curl")).key());
    }
}
