package dev.capsem.process.guest;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.nio.channels.Pipe;

/// One end of an in-memory connection: two pipes, no port.
public final class PipeChannel implements ByteChannel {
    private final Pipe.SourceChannel source;
    private final Pipe.SinkChannel sink;

    private PipeChannel(Pipe.SourceChannel source, Pipe.SinkChannel sink) {
        this.source = source;
        this.sink = sink;
    }

    public record Pair(PipeChannel left, PipeChannel right) {}

    public static Pair pair() throws IOException {
        Pipe toRight = Pipe.open();
        Pipe toLeft = Pipe.open();
        return new Pair(
                new PipeChannel(toLeft.source(), toRight.sink()), new PipeChannel(toRight.source(), toLeft.sink()));
    }

    @Override
    public int read(ByteBuffer target) throws IOException {
        return source.read(target);
    }

    @Override
    public int write(ByteBuffer bytes) throws IOException {
        return sink.write(bytes);
    }

    @Override
    public boolean isOpen() {
        return source.isOpen();
    }

    @Override
    public void close() throws IOException {
        sink.close();
        source.close();
    }
}
