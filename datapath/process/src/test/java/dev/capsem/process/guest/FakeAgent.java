package dev.capsem.process.guest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.wire.guest.ExecId;
import dev.capsem.wire.guest.GuestMessage;
import dev.capsem.wire.guest.GuestProtocol;
import dev.capsem.wire.guest.HostMessage;
import dev.capsem.wire.guest.OutputStreamName;
import dev.capsem.wire.io.FrameChannel;
import java.io.IOException;

/// The guest's end of the three connections, moved by the test itself: it says what the test says and shows what the
/// host sent.
public final class FakeAgent implements AutoCloseable {
    private final FrameChannel<HostMessage> control;
    private final FrameChannel<HostMessage> terminal;
    private final FrameChannel<HostMessage> exec;
    private final GuestConnections host;

    public FakeAgent() throws IOException {
        PipeChannel.Pair controlPair = PipeChannel.pair();
        PipeChannel.Pair terminalPair = PipeChannel.pair();
        PipeChannel.Pair execPair = PipeChannel.pair();
        control = guestEnd(controlPair);
        terminal = guestEnd(terminalPair);
        exec = guestEnd(execPair);
        host = new GuestConnections(hostEnd(controlPair), hostEnd(terminalPair), hostEnd(execPair));
    }

    public GuestConnections hostConnections() {
        return host;
    }

    public HostMessage nextControl() throws IOException {
        return control.receive().orElseThrow();
    }

    public HostMessage nextData() throws IOException {
        return exec.receive().orElseThrow();
    }

    public HostMessage nextTerminal() throws IOException {
        return terminal.receive().orElseThrow();
    }

    /// The next command that the host wants.
    public HostMessage.Exec nextExec() throws IOException {
        HostMessage message = nextControl();
        assertThat(message).isInstanceOf(HostMessage.Exec.class);
        return (HostMessage.Exec) message;
    }

    public void sayControl(GuestMessage message) throws IOException {
        control.send(GuestProtocol.encode(message));
    }

    public void sayData(GuestMessage message) throws IOException {
        exec.send(GuestProtocol.encode(message));
    }

    public void sayTerminal(GuestMessage message) throws IOException {
        terminal.send(GuestProtocol.encode(message));
    }

    public void started(ExecId id) throws IOException {
        sayControl(new GuestMessage.Started(id, 17));
    }

    public void output(ExecId id, OutputStreamName stream, byte[] data) throws IOException {
        sayData(new GuestMessage.Output(id, stream, data));
    }

    public void outputEnds(ExecId id) throws IOException {
        sayData(new GuestMessage.OutputEnd(id, OutputStreamName.STDOUT));
        sayData(new GuestMessage.OutputEnd(id, OutputStreamName.STDERR));
    }

    public void exited(ExecId id, int code) throws IOException {
        sayControl(new GuestMessage.Exited(id, GuestMessage.How.EXITED, code, 0, 0, ""));
    }

    public void closeControl() throws IOException {
        control.close();
    }

    @Override
    public void close() throws IOException {
        control.close();
        terminal.close();
        exec.close();
    }

    private static FrameChannel<HostMessage> guestEnd(PipeChannel.Pair pair) {
        return new FrameChannel<>(pair.right(), GuestProtocol::decodeHost, GuestProtocol.FRAME_BYTES_MAX);
    }

    private static FrameChannel<GuestMessage> hostEnd(PipeChannel.Pair pair) {
        return new FrameChannel<>(pair.left(), GuestProtocol::decodeGuest, GuestProtocol.FRAME_BYTES_MAX);
    }
}
