package dev.capsem.backends.io;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;

/// A channel, TCP or Unix, with the face of a [Socket], which is what TLS wants to stand on.
final class ChannelSocket extends Socket {
    private final SocketChannel channel;
    private final InputStream input = new Input();
    private final OutputStream output = new Output();

    private ChannelSocket(SocketChannel channel) {
        this.channel = channel;
    }

    static ChannelSocket connect(InetSocketAddress address, Duration timeout) throws IOException {
        SocketChannel channel = SocketChannel.open();
        try {
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            channel.socket().connect(address, (int) timeout.toMillis());
            return new ChannelSocket(channel);
        } catch (IOException e) {
            channel.close();
            throw e;
        }
    }

    static ChannelSocket connect(Path path) throws IOException {
        SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
        try {
            channel.connect(UnixDomainSocketAddress.of(path));
            return new ChannelSocket(channel);
        } catch (IOException e) {
            channel.close();
            throw e;
        }
    }

    /// Whether the other side has ended it, or said something that nobody asked for. For a connection at rest: a byte
    /// that is there is lost by looking.
    boolean isStale() {
        try {
            channel.configureBlocking(false);
            try {
                return channel.read(ByteBuffer.allocate(1)) != 0;
            } finally {
                channel.configureBlocking(true);
            }
        } catch (IOException e) {
            return true;
        }
    }

    @Override
    public InputStream getInputStream() {
        return input;
    }

    @Override
    public OutputStream getOutputStream() {
        return output;
    }

    @Override
    public boolean isConnected() {
        return true;
    }

    @Override
    public boolean isClosed() {
        return !channel.isOpen();
    }

    @Override
    public void setSoTimeout(int timeout) {}

    @Override
    public int getSoTimeout() {
        return 0;
    }

    @Override
    public void setTcpNoDelay(boolean on) {}

    @Override
    public void shutdownInput() throws IOException {
        channel.shutdownInput();
    }

    @Override
    public void shutdownOutput() throws IOException {
        channel.shutdownOutput();
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }

    private final class Input extends InputStream {
        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : Byte.toUnsignedInt(one[0]);
        }

        @Override
        public int read(byte[] into, int offset, int length) throws IOException {
            return length == 0 ? 0 : channel.read(ByteBuffer.wrap(into, offset, length));
        }

        @Override
        public void close() throws IOException {
            channel.close();
        }
    }

    private final class Output extends OutputStream {
        @Override
        public void write(int value) throws IOException {
            write(new byte[] {(byte) value}, 0, 1);
        }

        @Override
        public void write(byte[] from, int offset, int length) throws IOException {
            ByteBuffer bytes = ByteBuffer.wrap(from, offset, length);
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
        }

        @Override
        public void close() throws IOException {
            channel.close();
        }
    }
}
