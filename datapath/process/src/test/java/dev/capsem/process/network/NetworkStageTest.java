package dev.capsem.process.network;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.events.budget.SpendingDesk;
import dev.capsem.events.row.DnsRow;
import dev.capsem.events.row.Outcome;
import dev.capsem.events.security.ApprovalDesk;
import dev.capsem.events.vocabulary.FinalAction;
import dev.capsem.events.vocabulary.IdSource;
import dev.capsem.llm.trace.TraceState;
import dev.capsem.process.configuration.ConfigurationInForce;
import dev.capsem.process.door.RefuseAll;
import dev.capsem.process.record.RecordedEvents;
import dev.capsem.process.record.Recorder;
import dev.capsem.process.record.Recorders;
import dev.capsem.process.rules.SessionRules;
import dev.capsem.security.SecurityEngine;
import dev.capsem.wire.io.TaskScope;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.nio.channels.Channels;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("sockets")
class NetworkStageTest {
    /// One question: a.test, type A, class IN, with its length.
    private static final byte[] QUERY = {
        0, 24, 0, 7, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 'a', 4, 't', 'e', 's', 't', 0, 0, 1, 0, 1
    };

    private static final int REFUSED = 5;

    @TempDir
    private Path directory;

    private final RecordedEvents events = new RecordedEvents();

    @Test
    void withoutANetworkEngineEveryQuestionIsRefusedAndRecorded() throws IOException {
        // A key that is none: the engine cannot be set up.
        Path authority = Files.createDirectories(directory.resolve("ca"));
        Files.writeString(authority.resolve("capsem-ca.key"), "nonsense");
        Files.writeString(authority.resolve("capsem-ca.crt"), "nonsense");
        Recorder recorder = Recorders.into(events);
        ByteArrayOutputStream heard = new ByteArrayOutputStream();

        try (TaskScope scope = new TaskScope("test", (_, _) -> {});
                NetworkStage stage = stage(recorder, scope)) {
            stage.start();
            stage.asked(guest(heard));

            assertThat(stage.counts()).isEmpty();
        }

        assertThat(heard.toByteArray()[5] & 0x0f).isEqualTo(REFUSED);
        assertThat(events.all())
                .singleElement()
                .satisfies(exchange ->
                        assertThat(exchange.event().judgement().finalAction()).isEqualTo(FinalAction.BLOCK));
        assertThat(events.rows(DnsRow.class)).singleElement().satisfies(row -> {
            assertThat(row.name()).isEqualTo("a.test");
            assertThat(row.responseCode()).isEqualTo(REFUSED);
            assertThat(row.decision()).isEqualTo(Outcome.DENIED);
            assertThat(row.policy().reason()).contains(Recorder.NO_NETWORK_ENGINE);
        });
    }

    /// The first lookup of a fresh sandbox: on a busy machine the network engine takes longer than a resolver waits.
    @Test
    void namesAreAnsweredWhileTheNetworkEngineIsStillBeingSetUp() throws Exception {
        Path authority = Files.createDirectories(directory.resolve("ca"));
        Path key = authority.resolve("capsem-ca.key");
        // Whoever reads it waits for a writer: the engine is not ready before we say so.
        assertThat(new ProcessBuilder("mkfifo", key.toString()).start().waitFor())
                .isZero();
        Files.writeString(authority.resolve("capsem-ca.crt"), "nonsense");
        Recorder recorder = Recorders.into(events);
        ByteArrayOutputStream heard = new ByteArrayOutputStream();

        try (TaskScope scope = new TaskScope("test", (_, _) -> {});
                NetworkStage stage = stage(recorder, scope)) {
            Future<?> setUp = scope.fork(() -> {
                stage.start();
                return true;
            });
            Future<?> asked = scope.fork(() -> {
                stage.asked(guest(heard));
                return true;
            });

            try {
                asked.get(1, TimeUnit.MINUTES);
                assertThat(setUp).isNotDone();
            } finally {
                Files.writeString(key, "nonsense");
            }
            setUp.get(1, TimeUnit.MINUTES);
        }

        assertThat(heard.toByteArray()[5] & 0x0f).isEqualTo(REFUSED);
        assertThat(events.rows(DnsRow.class))
                .singleElement()
                .satisfies(row -> assertThat(row.name()).isEqualTo("a.test"));
    }

    private NetworkStage stage(Recorder recorder, TaskScope scope) {
        ConfigurationInForce configuration = configuration();
        return new NetworkStage(
                new NetworkStage.Neighbours(
                        new SecurityEngine(),
                        ApprovalDesk.NOBODY,
                        SpendingDesk.NONE,
                        recorder,
                        events,
                        new IdSource(Recorders.CLOCK, new Random(7)),
                        new TraceState(),
                        new SessionResolver(configuration, scope),
                        Optional.empty(),
                        new RefuseAll(recorder, Recorders.CLOCK)),
                configuration,
                directory);
    }

    private ConfigurationInForce configuration() {
        ConfigurationInForce configuration = new ConfigurationInForce(new SessionRules(), _ -> Optional.empty());
        configuration.load(directory);
        return configuration;
    }

    private static ByteChannel guest(ByteArrayOutputStream heard) {
        ByteArrayOutputStream says = new ByteArrayOutputStream();
        says.writeBytes("\0CAPSEM_META:curl\n\0CAPSEM_DST:192.0.2.1:53\n".getBytes(StandardCharsets.US_ASCII));
        says.writeBytes(QUERY);
        ReadableByteChannel in = Channels.newChannel(new ByteArrayInputStream(says.toByteArray()));
        WritableByteChannel out = Channels.newChannel(heard);
        return new ByteChannel() {
            @Override
            public int read(ByteBuffer target) throws IOException {
                return in.read(target);
            }

            @Override
            public int write(ByteBuffer source) throws IOException {
                return out.write(source);
            }

            @Override
            public boolean isOpen() {
                return true;
            }

            @Override
            public void close() {}
        };
    }
}
