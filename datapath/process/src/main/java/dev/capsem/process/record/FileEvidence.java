package dev.capsem.process.record;

import dev.capsem.events.row.FsRow;
import dev.capsem.events.security.Decision;
import dev.capsem.events.security.Evaluation;
import dev.capsem.events.security.SecurityEvent.FileActivity;
import dev.capsem.events.vocabulary.EventType;
import dev.capsem.exchange.Judge;
import dev.capsem.security.SecurityEngine;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/// Shows files that were seen to change to the rules. The change has happened, so nothing is enforced; what a detection
/// finds, or a rule would not have allowed, gets an event of its own, with the steps that say so.
public final class FileEvidence {
    private final Recorder recorder;
    private final SecurityEngine engine;
    private final Judge judge;

    public FileEvidence(Recorder recorder, SecurityEngine engine) {
        this.recorder = recorder;
        this.engine = engine;
        this.judge = new Judge(engine);
    }

    public void changed(Instant at, List<FsRow> rows) {
        if (!engine.isWatched(EventType.FILE_ACTIVITY)) {
            recorder.filesChanged(at, rows);
            return;
        }
        List<FsRow> ordinary = new ArrayList<>(rows.size());
        for (FsRow row : rows) {
            FileActivity event = new FileActivity(recorder.observed(row.at()), operation(row), row.path(), row.size());
            Evaluation evaluation = judge.look(event);
            if (isRemarkable(evaluation)) {
                recorder.fileJudged(event, evaluation, row);
            } else {
                ordinary.add(row);
            }
        }
        recorder.filesChanged(at, ordinary);
    }

    private static boolean isRemarkable(Evaluation evaluation) {
        return !evaluation.findings().isEmpty()
                || (evaluation.rule().isPresent() && evaluation.decision() != Decision.ALLOW);
    }

    private static String operation(FsRow row) {
        return switch (row.action()) {
            case CREATED -> "create";
            case MODIFIED -> "modify";
            case DELETED -> "delete";
            case RESTORED -> "restore";
        };
    }
}
