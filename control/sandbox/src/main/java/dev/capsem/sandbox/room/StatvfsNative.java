package dev.capsem.sandbox.room;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/// `statvfs(3)`: the JDK tells the bytes of a filesystem, not how many files it can still take.
final class StatvfsNative {
    /// Positions in the answer; they are those of the C structure, whose first members are words on all 64-bit hosts.
    static final int UNIT = 1;

    static final int BLOCKS = 2;
    static final int BLOCKS_FREE = 4;
    static final int FILES = 5;
    static final int FILES_FREE = 7;

    private static final int WORDS = 8;
    /// More than the structure has on any host.
    private static final long BYTES_MAX = 256;

    private static final MethodHandle STATVFS = statvfs();

    private StatvfsNative() {}

    /// The first words of the structure; none if there is no answer.
    ///
    /// Requires: `path` holds no NUL.
    static long[] ask(byte[] path) {
        try (var arena = Arena.ofConfined()) {
            MemorySegment text = arena.allocate(path.length + 1L);
            MemorySegment.copy(path, 0, text, ValueLayout.JAVA_BYTE, 0, path.length);
            MemorySegment answer = arena.allocate(BYTES_MAX, Long.BYTES);
            int failed = (int) STATVFS.invokeExact(text, answer);
            return failed == 0
                    ? answer.asSlice(0, WORDS * (long) Long.BYTES).toArray(ValueLayout.JAVA_LONG)
                    : new long[0];
        } catch (Throwable failure) {
            throw new IllegalStateException("statvfs could not be called", failure);
        }
    }

    @SuppressWarnings("restricted")
    private static MethodHandle statvfs() {
        var linker = Linker.nativeLinker();
        return linker.downcallHandle(
                linker.defaultLookup().findOrThrow("statvfs"),
                FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.ADDRESS));
    }
}
