package dev.capsem.sandbox.workspace;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;

/// `mknod(2)`, with which tests make what overlayfs and guests leave behind.
final class MknodNative {
    private static final int CHARACTER_DEVICE = 0x2000;
    private static final int FIFO = 0x1000;

    private MknodNative() {}

    /// False where the kernel does not let us.
    static boolean whiteout(Path path) {
        return mknod(path, CHARACTER_DEVICE);
    }

    static boolean fifo(Path path) {
        return mknod(path, FIFO | 0600);
    }

    @SuppressWarnings("restricted")
    private static boolean mknod(Path path, int mode) {
        var linker = Linker.nativeLinker();
        var handle = linker.downcallHandle(
                linker.defaultLookup().findOrThrow("mknod"),
                FunctionDescriptor.of(
                        ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG));
        try (var arena = Arena.ofConfined()) {
            return (int) handle.invokeExact(arena.allocateFrom(path.toString()), mode, 0L) == 0;
        } catch (Throwable failure) {
            throw new IllegalStateException(failure);
        }
    }
}
