package dev.capsem.process.guest;

import dev.capsem.wire.guest.OutputStreamName;
import java.io.ByteArrayOutputStream;
import java.util.LinkedHashMap;
import java.util.Map;

/// Output of one command that its caller has not taken yet. Bounded by the credit that the guest has; small frames are
/// joined, so that a guest that sends single bytes costs no more memory than one that sends blocks.
final class OutputBuffer {
    private final Map<OutputStreamName, ByteArrayOutputStream> pending = new LinkedHashMap<>();

    void add(OutputStreamName stream, byte[] data, int length) {
        pending.computeIfAbsent(stream, name -> new ByteArrayOutputStream(length))
                .write(data, 0, length);
    }

    boolean isEmpty() {
        return pending.isEmpty();
    }

    /// Requires: not empty. The stream that waits longest comes first; more order than that the guest's pipes do
    /// not keep.
    GuestExecEvent.Output take() {
        Map.Entry<OutputStreamName, ByteArrayOutputStream> first =
                pending.entrySet().iterator().next();
        pending.remove(first.getKey());
        return new GuestExecEvent.Output(first.getKey(), first.getValue().toByteArray());
    }

    void clear() {
        pending.clear();
    }
}
