package dev.capsem.sandbox.bwrap;

import dev.capsem.wire.guest.EnvironmentVariable;
import dev.capsem.wire.guest.ExecId;
import dev.capsem.wire.guest.GuestMessage;
import dev.capsem.wire.guest.GuestPort;
import dev.capsem.wire.guest.GuestProtocol;
import dev.capsem.wire.guest.HostMessage;
import dev.capsem.wire.guest.OutputStreamName;
import dev.capsem.wire.io.FrameChannel;
import dev.capsem.wire.io.UnixListener;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/// The host's end of a sandbox's ports, just enough to boot the agent and run one command after the other.
final class GuestUnderTest implements AutoCloseable {
    private static final List<GuestPort> AGENT_PORTS = List.of(GuestPort.CONTROL, GuestPort.TERMINAL, GuestPort.EXEC);
    private static final String PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

    private final Map<GuestPort, UnixListener> listeners = new EnumMap<>(GuestPort.class);
    private final Map<GuestPort, FrameChannel<GuestMessage>> channels = new EnumMap<>(GuestPort.class);
    private final List<FrameChannel<GuestMessage>> open = new ArrayList<>();
    private long execs;

    /// @param output standard output and error together
    record Outcome(int code, String output) {}

    static GuestUnderTest bind(Path vsock) throws IOException {
        GuestUnderTest guest = new GuestUnderTest();
        for (GuestPort port : GuestPort.values()) {
            Path path = vsock.resolve(Integer.toString(port.number()));
            guest.listeners.put(port, UnixListener.bind(path, "rw-------"));
        }
        return guest;
    }

    /// Takes the agent's connections and boots it.
    void boot(String hostname) throws IOException {
        for (GuestPort port : AGENT_PORTS) {
            UnixListener listener = listeners.get(port);
            if (listener == null) {
                throw new IllegalStateException("not bound: " + port);
            }
            FrameChannel<GuestMessage> channel = new FrameChannel<>(
                    listener.accept().orElseThrow(), GuestProtocol::decodeGuest, GuestProtocol.FRAME_BYTES_MAX);
            open.add(channel);
            channels.put(port, channel);
            expect(channel, GuestMessage.Hello.class);
            listener.close();
        }
        control()
                .send(GuestProtocol.encode(new HostMessage.Boot(
                        System.currentTimeMillis() * 1_000_000,
                        hostname,
                        List.of(new EnvironmentVariable("PATH", PATH), new EnvironmentVariable("HOME", "/root")))));
        expect(control(), GuestMessage.Ready.class);
    }

    Outcome run(String script) throws IOException {
        ExecId id = new ExecId(++execs);
        control()
                .send(GuestProtocol.encode(
                        new HostMessage.Exec(id, 0, 0, 0, "", List.of("/bin/sh", "-c", script), List.of())));
        ByteArrayOutputStream output = new ByteArrayOutputStream();
        FrameChannel<GuestMessage> exec = channel(GuestPort.EXEC);
        for (int streamsLeft = OutputStreamName.values().length; streamsLeft > 0; ) {
            switch (exec.receive().orElseThrow()) {
                case GuestMessage.Output chunk -> {
                    output.writeBytes(chunk.data());
                    exec.send(GuestProtocol.encode(new HostMessage.OutputCredit(id, chunk.data().length)));
                }
                case GuestMessage.OutputEnd _ -> streamsLeft--;
                case GuestMessage other -> throw new IllegalStateException("unexpected: " + other);
            }
        }
        expect(control(), GuestMessage.Started.class);
        GuestMessage.Exited exited = expect(control(), GuestMessage.Exited.class);
        return new Outcome(exited.code(), output.toString(StandardCharsets.UTF_8));
    }

    @Override
    public void close() throws IOException {
        for (FrameChannel<GuestMessage> channel : open) {
            channel.close();
        }
        listeners.values().forEach(UnixListener::close);
    }

    private FrameChannel<GuestMessage> control() {
        return channel(GuestPort.CONTROL);
    }

    private FrameChannel<GuestMessage> channel(GuestPort port) {
        FrameChannel<GuestMessage> channel = channels.get(port);
        if (channel == null) {
            throw new IllegalStateException("not booted");
        }
        return channel;
    }

    private static <M extends GuestMessage> M expect(FrameChannel<GuestMessage> channel, Class<M> type)
            throws IOException {
        return type.cast(channel.receive().orElseThrow());
    }
}
