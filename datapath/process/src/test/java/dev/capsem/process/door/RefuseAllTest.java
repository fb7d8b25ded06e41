package dev.capsem.process.door;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.events.row.NetRow;
import dev.capsem.events.row.Outcome;
import dev.capsem.events.vocabulary.EventType;
import dev.capsem.events.vocabulary.FinalAction;
import dev.capsem.process.record.RecordedEvents;
import dev.capsem.process.record.Recorder;
import dev.capsem.process.record.Recorders;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

final class RefuseAllTest {
    private static final String PREAMBLE = "\0CAPSEM_META:curl\n\0CAPSEM_DST:192.0.2.1:443\n";

    private final RecordedEvents events = new RecordedEvents();
    private final Recorder recorder = Recorders.into(events);

    /// Gives its bytes one at a time, then ends; keeps what is written.
    private static final class Guest implements ByteChannel {
        private final ByteBuffer says;
        private final ByteArrayOutputStream heard = new ByteArrayOutputStream();

        Guest(byte[]... parts) {
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            for (byte[] part : parts) {
                all.writeBytes(part);
            }
            says = ByteBuffer.wrap(all.toByteArray());
        }

        @Override
        public int read(ByteBuffer target) {
            if (!says.hasRemaining()) {
                return -1;
            }
            target.put(says.get());
            return 1;
        }

        @Override
        public int write(ByteBuffer source) {
            int count = source.remaining();
            while (source.hasRemaining()) {
                heard.write(source.get());
            }
            return count;
        }

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public void close() {}
    }

    @Test
    void aConnectionIsRecordedAsBlockedAndHearsNothing() throws IOException {
        Guest guest = new Guest(ascii(PREAMBLE), ascii("GET / HTTP/1.1\r\n\r\n"));

        new RefuseAll(recorder, Recorders.CLOCK).serve(guest);

        assertThat(guest.heard.size()).isZero();
        assertThat(events.all()).singleElement().satisfies(exchange -> {
            assertThat(exchange.event().type()).isEqualTo(EventType.HTTP_REQUEST);
            assertThat(exchange.event().judgement().finalAction()).isEqualTo(FinalAction.BLOCK);
        });
        assertThat(events.rows(NetRow.class)).singleElement().satisfies(row -> {
            assertThat(row.domain()).isEqualTo("192.0.2.1");
            assertThat(row.port()).isEqualTo(443);
            assertThat(row.decision()).isEqualTo(Outcome.DENIED);
            assertThat(row.caller().processName()).contains("curl");
            assertThat(row.policy().reason()).contains("network engine not running");
        });
    }

    @Test
    void aConnectionWithoutAWordIsRecordedToo() throws IOException {
        new RefuseAll(recorder, Recorders.CLOCK).serve(new Guest());

        assertThat(events.rows(NetRow.class)).singleElement().returns("unknown", NetRow::domain);
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
