package dev.capsem.process.watch;

import static dev.capsem.events.row.FsRow.Action.CREATED;
import static dev.capsem.events.row.FsRow.Action.DELETED;
import static dev.capsem.events.row.FsRow.Action.MODIFIED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.events.row.FsRow;
import java.time.Instant;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

final class ChangesTest {
    private final Changes changes = new Changes();

    @Test
    void aBurstOnOnePathIsOneChange() {
        changes.add("/root/a", CREATED);
        changes.add("/root/a", MODIFIED);
        changes.add("/root/a", MODIFIED);

        assertThat(actions()).containsExactly("created /root/a");
        assertThat(changes.isEmpty()).isTrue();
    }

    @Test
    void whatCameAndWentWithinABurstLeavesBothFacts() {
        changes.add("/root/tmp", CREATED);
        changes.add("/root/tmp", MODIFIED);
        changes.add("/root/tmp", DELETED);

        assertThat(actions()).containsExactly("created /root/tmp", "deleted /root/tmp");
    }

    @Test
    void whatCameWentAndCameAgainIsCreated() {
        changes.add("/root/tmp", CREATED);
        changes.add("/root/tmp", DELETED);
        changes.add("/root/tmp", CREATED);

        assertThat(actions()).containsExactly("created /root/tmp");
    }

    @Test
    void replacingAFileModifiesIt() {
        changes.add("/root/a", DELETED);
        changes.add("/root/a", CREATED);

        assertThat(actions()).containsExactly("modified /root/a");
    }

    @Test
    void deletingAfterModifyingIsDeleting() {
        changes.add("/root/a", MODIFIED);
        changes.add("/root/a", DELETED);

        assertThat(take()).singleElement().satisfies(row -> {
            assertThat(row.action()).isEqualTo(DELETED);
            assertThat(row.size()).isEmpty();
        });
    }

    @Test
    void pathsOverTheLimitAreCountedAsMissed() {
        for (int i = 0; i < Changes.PATHS_MAX + 3; i++) {
            changes.add("/root/" + i, CREATED);
        }

        assertThat(take()).hasSize(Changes.PATHS_MAX);
        assertThat(changes.takeMissed()).isEqualTo(3);
        assertThat(changes.takeMissed()).isZero();
    }

    private List<FsRow> take() {
        return changes.take(Instant.EPOCH, path -> OptionalLong.of(1));
    }

    private List<String> actions() {
        return take().stream()
                .map(row -> row.action().wireName() + " " + row.path())
                .toList();
    }
}
