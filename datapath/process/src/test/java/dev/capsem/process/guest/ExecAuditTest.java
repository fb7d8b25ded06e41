package dev.capsem.process.guest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.events.row.AuditRow;
import dev.capsem.wire.guest.ExecId;
import dev.capsem.wire.guest.GuestMessage;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
final class ExecAuditTest {
    private final BlockingQueue<AuditRow> rows = new LinkedBlockingQueue<>();
    private final List<String> offs = new ArrayList<>();
    private final ExecAudit audit =
            new ExecAudit(InstantSource.fixed(Instant.EPOCH), (at, found) -> rows.addAll(found), offs::add);

    private static GuestMessage.Execed program(long pid, long parent, long session, String... argv) {
        return new GuestMessage.Execed(
                pid, parent, 0, session, false, false, "/usr/bin/" + argv[0], "/root", "", "", List.of(argv));
    }

    @Test
    void saysOnceThatNoProgramIsSeen() {
        assertThat(audit.problem()).isEmpty();

        assertThat(audit.off("Device or resource busy")).isTrue();
        assertThat(audit.off("another")).isFalse();

        assertThat(offs).containsExactly("Device or resource busy");
        assertThat(audit.problem()).contains("Device or resource busy");
    }

    @Test
    void findsTheCommandBySessionOrByParent() throws InterruptedException {
        audit.execed(program(7, 1, 7, "sh", "-c", "a 'b'"));
        audit.execed(program(8, 7, 7, "setsid"));
        audit.execed(program(9, 8, 9, "daemon"));
        audit.execed(program(50, 1, 50, "stranger"));
        audit.commandStarted(new ExecId(3), 7);
        Thread running = Thread.ofVirtual().start(audit::run);

        assertThat(rows.take()).satisfies(row -> {
            assertThat(row.execId()).hasValue(3);
            assertThat(row.argv()).isEqualTo("sh -c 'a '\\''b'\\'''");
            assertThat(row.shortName()).contains("sh");
        });
        assertThat(rows.take().execId()).hasValue(3);
        assertThat(rows.take().execId()).hasValue(3);
        assertThat(rows.take().execId()).isEmpty();
        running.interrupt();
    }

    @Test
    void saysWhatItCouldNotRead() throws InterruptedException {
        audit.execed(new GuestMessage.Execed(7, 1, 0, 7, false, true, "", "", "", "", List.of()));
        audit.execed(new GuestMessage.Execed(8, 1, 0, 7, true, false, "/a/b", "", "", "", List.of("b", "x")));
        Thread running = Thread.ofVirtual().start(audit::run);

        assertThat(rows.take()).satisfies(row -> {
            assertThat(row.executable()).isEqualTo("unknown");
            assertThat(row.argv()).isEqualTo("(hidden by the process)");
            assertThat(row.workingDirectory()).isEmpty();
        });
        assertThat(rows.take().argv()).isEqualTo("b x …");
        running.interrupt();
    }

    @Test
    void keepsNoSecretsOfACommandLine() throws InterruptedException {
        audit.execed(program(7, 1, 7, "curl", "-H", "authorization: Bearer token-0001"));
        Thread running = Thread.ofVirtual().start(audit::run);

        assertThat(rows.take().argv()).isEqualTo("curl -H 'authorization: ***'");
        running.interrupt();
    }

    @Test
    void countsWhatNobodyTook() {
        for (int i = 0; i < ExecAudit.WAITING_MAX + 5; i++) {
            audit.execed(program(i, 1, 1, "x"));
        }
        audit.missed(10);

        assertThat(audit.missed()).isEqualTo(15);
    }

    @Test
    void writesWhatWaitsWhenItEnds() throws InterruptedException {
        audit.execed(program(7, 1, 7, "last"));
        Thread running = Thread.ofVirtual().start(audit::run);
        running.interrupt();
        running.join();

        assertThat(rows).extracting(AuditRow::argv).containsExactly("last");
    }
}
