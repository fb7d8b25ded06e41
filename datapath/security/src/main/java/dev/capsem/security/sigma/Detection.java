package dev.capsem.security.sigma;

import dev.capsem.events.row.Finding;
import dev.capsem.events.security.SecurityEvent;
import dev.capsem.events.vocabulary.Confidence;
import dev.capsem.events.vocabulary.EventType;
import dev.capsem.events.vocabulary.Severity;
import dev.capsem.security.condition.Frame;
import dev.capsem.security.condition.Match;
import dev.capsem.security.condition.Predicates.Predicate;
import dev.capsem.security.schema.Field;
import dev.capsem.source.Place;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// One Sigma rule, ready to be asked.
///
/// @param id unique among the detections of a snapshot; its author's, or made of the title
/// @param on the events it is asked about
/// @param text of its source
public record Detection(
        String id,
        String packId,
        Optional<String> sigmaId,
        String title,
        Severity severity,
        Confidence confidence,
        List<String> tags,
        Set<EventType> on,
        Predicate predicate,
        String text,
        Place place) {
    public Detection {
        tags = List.copyOf(tags);
        on = Set.copyOf(on);
    }

    Detection withId(String changed) {
        return new Detection(changed, packId, sigmaId, title, severity, confidence, tags, on, predicate, text, place);
    }

    /// Whether the event is what it looks for. A body that is not there to read is no finding.
    public boolean matches(Frame frame) {
        return predicate.match(frame) == Match.YES;
    }

    public Set<Field> reads() {
        return predicate.reads();
    }

    public Finding finding(SecurityEvent event) {
        return new Finding(
                "finding-" + event.envelope().id() + "-" + id, id, packId, sigmaId, title, severity, confidence, tags);
    }

    @Override
    public String toString() {
        return id;
    }
}
