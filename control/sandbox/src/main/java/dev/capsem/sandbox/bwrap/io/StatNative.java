package dev.capsem.sandbox.bwrap.io;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/// `statx(2)`, for the one member that the JDK does not tell: how much of a file is really there.
final class StatNative {
    /// @param id tells a file from all others, whatever its names
    record Allocated(String id, long bytes) {}

    private static final int CURRENT_DIRECTORY = -100;
    private static final int BASIC_STATS = 0x7ff;
    private static final int INODE = 32;
    private static final int BLOCKS = 48;
    private static final int DEVICE_MAJOR = 136;
    private static final int DEVICE_MINOR = 140;
    private static final int BLOCK_BYTES = 512;
    private static final long BYTES = 256;
    private static final MethodHandle STATX = statx();

    private StatNative() {}

    /// Follows links; empty if there is nothing.
    static Optional<Allocated> of(String path) {
        try (var arena = Arena.ofConfined()) {
            MemorySegment text = arena.allocateFrom(path, StandardCharsets.UTF_8);
            MemorySegment answer = arena.allocate(BYTES, Long.BYTES);
            int failed = (int) STATX.invokeExact(CURRENT_DIRECTORY, text, 0, BASIC_STATS, answer);
            if (failed != 0) {
                return Optional.empty();
            }
            String id = answer.get(ValueLayout.JAVA_INT, DEVICE_MAJOR) + ":"
                    + answer.get(ValueLayout.JAVA_INT, DEVICE_MINOR) + ":"
                    + answer.get(ValueLayout.JAVA_LONG, INODE);
            return Optional.of(new Allocated(id, answer.get(ValueLayout.JAVA_LONG, BLOCKS) * BLOCK_BYTES));
        } catch (Throwable failure) {
            throw new IllegalStateException("statx could not be called", failure);
        }
    }

    @SuppressWarnings("restricted")
    private static MethodHandle statx() {
        var linker = Linker.nativeLinker();
        return linker.downcallHandle(
                linker.defaultLookup().findOrThrow("statx"),
                FunctionDescriptor.of(
                        ValueLayout.JAVA_INT,
                        ValueLayout.JAVA_INT,
                        ValueLayout.ADDRESS,
                        ValueLayout.JAVA_INT,
                        ValueLayout.JAVA_INT,
                        ValueLayout.ADDRESS));
    }
}
