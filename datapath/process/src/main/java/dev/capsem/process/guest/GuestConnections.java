package dev.capsem.process.guest;

import dev.capsem.wire.guest.EnvironmentVariable;
import dev.capsem.wire.guest.GuestMessage;
import dev.capsem.wire.guest.GuestPort;
import dev.capsem.wire.guest.GuestProtocol;
import dev.capsem.wire.guest.HostMessage;
import dev.capsem.wire.io.FrameChannel;
import java.io.IOException;
import java.nio.channels.ByteChannel;
import java.util.List;
import java.util.Optional;

/// The three connections that the agent opened, each after its Hello.
public record GuestConnections(
        FrameChannel<GuestMessage> control, FrameChannel<GuestMessage> terminal, FrameChannel<GuestMessage> exec)
        implements AutoCloseable {

    /// The agent said something else than the protocol allows while it booted.
    public static final class BadBootException extends IOException {
        private static final long serialVersionUID = 1L;

        BadBootException(String message) {
            super(message);
        }
    }

    /// Waits for the agent's Hello on a channel just accepted.
    public static FrameChannel<GuestMessage> greeted(ByteChannel channel, GuestPort port) throws IOException {
        FrameChannel<GuestMessage> frames =
                new FrameChannel<>(channel, GuestProtocol::decodeGuest, GuestProtocol.FRAME_BYTES_MAX);
        Optional<GuestMessage> first = frames.receive();
        if (!(first.orElse(null) instanceof GuestMessage.Hello hello)) {
            throw new BadBootException("the agent said no Hello on port " + port.number());
        }
        if (hello.protocolVersion() != GuestProtocol.VERSION) {
            throw new BadBootException("the agent speaks protocol version " + hello.protocolVersion() + ", not "
                    + GuestProtocol.VERSION + ": dist/ is inconsistent");
        }
        if (hello.port() != port.number()) {
            throw new BadBootException("the agent took port " + port.number() + " for " + hello.port());
        }
        return frames;
    }

    /// Sends Boot and waits until the guest accepts commands. Answers the agent's own boot stages.
    public List<GuestMessage.Stage> boot(long unixTimeNanos, String hostname, List<EnvironmentVariable> environment)
            throws IOException {
        control.send(GuestProtocol.encode(new HostMessage.Boot(unixTimeNanos, hostname, environment)));
        if (control.receive().orElse(null) instanceof GuestMessage.Ready ready) {
            return ready.stages();
        }
        throw new BadBootException("the agent ended before it was ready");
    }

    /// Nothing more is expected of them.
    @Override
    public void close() {
        for (FrameChannel<GuestMessage> channel : List.of(control, terminal, exec)) {
            try {
                channel.close();
            } catch (IOException ignored) {
                // The descriptor is gone either way.
            }
        }
    }
}
