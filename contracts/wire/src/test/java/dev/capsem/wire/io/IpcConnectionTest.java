package dev.capsem.wire.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.capsem.wire.ipc.IpcProtocol;
import dev.capsem.wire.ipc.ProcessMessage;
import dev.capsem.wire.ipc.ServiceMessage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

final class IpcConnectionTest {
    @Test
    void saysHelloBothWaysThenCarriesMessages() throws IOException, ExecutionException, InterruptedException {
        PipeChannel.Pair pair = PipeChannel.pair();
        try (TaskScope scope = new TaskScope("test", (thread, failure) -> {})) {
            Future<IpcConnection<ServiceMessage, ProcessMessage>> accepted =
                    scope.fork(() -> IpcConnection.accept(pair.right(), "capsem-process", 42));

            try (IpcConnection<ProcessMessage, ServiceMessage> service =
                            IpcConnection.greet(pair.left(), "capsem-service", IpcConnection.HANDSHAKE_TIMEOUT);
                    IpcConnection<ServiceMessage, ProcessMessage> process = accepted.get()) {
                service.send(new ServiceMessage.GetStatus());
                assertThat(process.receive()).contains(new ServiceMessage.GetStatus());
                process.send(new ProcessMessage.Done());
                assertThat(service.receive()).contains(new ProcessMessage.Done());

                pair.left().close();
                assertThat(process.receive()).isEmpty();
            }
        }
    }

    /// On a host that is busy a process answers late; who is in a hurry says so.
    @Test
    void waitsForHelloAsLongAsItIsToldTo() throws IOException {
        PipeChannel.Pair pair = PipeChannel.pair();

        assertThat(IpcConnection.HANDSHAKE_TIMEOUT).isGreaterThanOrEqualTo(Duration.ofSeconds(30));
        assertThatExceptionOfType(IpcException.class)
                .isThrownBy(() -> IpcConnection.greet(pair.left(), "capsem-service", Duration.ofMillis(1)))
                .returns(IpcException.Code.LOST, IpcException::code);
    }

    @Test
    void refusesAnotherSchema() throws IOException {
        PipeChannel.Pair pair = PipeChannel.pair();
        write(pair.left(), IpcProtocol.encode(new ServiceMessage.Hello(IpcProtocol.VERSION, "other", "x")));

        assertThatExceptionOfType(IpcException.class)
                .isThrownBy(() -> IpcConnection.accept(pair.right(), "capsem-process", 42))
                .returns(IpcException.Code.HANDSHAKE, IpcException::code);
        assertThat(pair.right().isOpen()).isFalse();
    }

    @Test
    void refusesAnythingBeforeHello() throws IOException {
        PipeChannel.Pair pair = PipeChannel.pair();
        write(pair.left(), IpcProtocol.encode(new ServiceMessage.GetStatus()));

        assertThatExceptionOfType(IpcException.class)
                .isThrownBy(() -> IpcConnection.accept(pair.right(), "capsem-process", 42))
                .returns(IpcException.Code.HANDSHAKE, IpcException::code);
    }

    @Test
    void aStreamThatEndsInsideAFrameIsMalformed() throws IOException {
        PipeChannel.Pair pair = PipeChannel.pair();
        write(pair.left(), ByteBuffer.wrap(new byte[] {0, 0, 0, 9, '{'}));
        pair.left().close();

        assertThatExceptionOfType(IpcException.class)
                .isThrownBy(() -> IpcConnection.accept(pair.right(), "capsem-process", 42))
                .returns(IpcException.Code.MALFORMED, IpcException::code);
    }

    private static void write(PipeChannel channel, ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            channel.write(bytes);
        }
    }
}
