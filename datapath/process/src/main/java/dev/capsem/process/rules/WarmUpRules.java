package dev.capsem.process.rules;

import dev.capsem.events.row.Attribution;
import dev.capsem.events.security.Envelope;
import dev.capsem.events.security.SecurityEvent.ProcessExec;
import dev.capsem.events.vocabulary.Correlation;
import dev.capsem.events.vocabulary.EventId;
import dev.capsem.security.RuleSnapshot;
import dev.capsem.security.SecurityEngine;
import dev.capsem.source.Layer;
import dev.capsem.source.SourceText;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// Rules that bring in what most rules need: every kind of condition once. They are never in force.
final class WarmUpRules {
    static final List<SourceText> SOURCES = List.of(new SourceText("warm-up", Layer.USER, """
            [security.rules.http.warm_up]
            on = "http.request"
            if = '''http.request.host.endsWith(".example") && http.request.method in ["GET", "HEAD"]
                && (http.request.path.matches("^/a+$") || !http.request.header("x").exists())'''
            decision = "allow"

            [security.rules.process.warm_up]
            on = "process.exec"
            if = "true"
            decision = "allow"
            priority = 1000
            """));

    private WarmUpRules() {}

    /// Judges a command nobody gave.
    static void judge(RuleSnapshot snapshot) {
        Envelope envelope =
                Envelope.inline(new EventId("warm-up"), Instant.EPOCH, Attribution.UNKNOWN, Correlation.NONE);
        new SecurityEngine(snapshot).evaluate(new ProcessExec(envelope, "true", List.of(), Optional.empty()));
    }
}
