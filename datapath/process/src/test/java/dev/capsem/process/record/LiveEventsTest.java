package dev.capsem.process.record;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class LiveEventsTest {
    private final LiveEvents live = new LiveEvents(text -> text);

    @Test
    void watchersHearTheEndAfterWhatHappenedBefore() throws InterruptedException {
        LiveEvents.Watcher watcher = live.watch();

        live.publish("exec", () -> "{}");
        live.close();

        assertThat(watcher.next()).contains(new LiveEvents.LiveEvent("exec", "{}"));
        assertThat(watcher.next()).isEmpty();
    }

    @Test
    void whoComesTooLateHearsTheEnd() throws InterruptedException {
        live.close();

        assertThat(live.watch().next()).isEmpty();
    }

    @Test
    void theEndReachesAWatcherThatDidNotKeepUp() throws InterruptedException {
        LiveEvents.Watcher watcher = live.watch();
        int sent = 2_000;

        for (int i = 0; i < sent; i++) {
            live.publish("exec", () -> "{}");
        }
        live.close();

        int seen = 0;
        while (watcher.next().isPresent()) {
            seen++;
        }
        assertThat(seen).isPositive();
        assertThat(watcher.takeMissed()).isEqualTo(sent - seen);
    }
}
