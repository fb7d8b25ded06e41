package dev.capsem.process.watch;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class KnownFilesTest {
    private final KnownFiles known = new KnownFiles();

    @Test
    void forgetsWhatWasInADirectoryThatLeft() {
        known.came("/root/a/x");
        known.came("/root/ab");
        known.left("/root/a");

        assertThat(known.existed("/root/a/x")).isFalse();
        assertThat(known.existed("/root/ab")).isTrue();
    }

    @Test
    void aHiddenDirectoryHidesAllBelowIt() {
        known.hidden("/root/proj/docs");

        assertThat(known.isHidden("/root/proj/docs/page.md")).isTrue();
        assertThat(known.isHidden("/root/proj/docs2")).isFalse();
    }

    @Test
    void holdsNoMoreThanItsLimit() {
        for (int i = 0; i <= KnownFiles.PATHS_MAX; i++) {
            known.came("/root/" + i);
        }

        assertThat(known.existed("/root/" + (KnownFiles.PATHS_MAX - 1))).isTrue();
        assertThat(known.existed("/root/" + KnownFiles.PATHS_MAX)).isFalse();
    }
}
