package dev.capsem.sandbox.workspace.tree;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;

/// `openat(2)` with `O_PATH | O_NOFOLLOW`, the one thing the JDK cannot do: hold whatever has a name, without following
/// it, without reading it, and without waiting for a FIFO's other end.
final class OpenAtNative {
    static final int ENOENT = 2;
    static final int EACCES = 13;
    static final int ENOTDIR = 20;

    /// `AT_FDCWD`: the name is a path of its own.
    static final int CURRENT_DIRECTORY = -100;

    private static final int O_PATH = 0x200000;
    private static final int O_CLOEXEC = 0x80000;
    /// The one flag of ours that differs between the architectures we run on.
    private static final int O_NOFOLLOW = System.getProperty("os.arch", "").equals("aarch64") ? 0x8000 : 0x20000;

    private static final MemoryLayout CALL_STATE = Linker.Option.captureStateLayout();
    private static final VarHandle ERRNO = CALL_STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));
    private static final MethodHandle OPENAT = openat();
    private static final MethodHandle CLOSE = close();

    private OpenAtNative() {}

    /// A descriptor, or the negated errno.
    ///
    /// Requires: `name` holds no NUL.
    static int open(int directory, byte[] name) {
        try (var arena = Arena.ofConfined()) {
            MemorySegment text = arena.allocate(name.length + 1L);
            MemorySegment.copy(name, 0, text, ValueLayout.JAVA_BYTE, 0, name.length);
            MemorySegment state = arena.allocate(CALL_STATE);
            int descriptor = (int) OPENAT.invokeExact(state, directory, text, O_PATH | O_NOFOLLOW | O_CLOEXEC);
            return descriptor >= 0 ? descriptor : -(int) ERRNO.get(state, 0L);
        } catch (Throwable failure) {
            throw new IllegalStateException("openat could not be called", failure);
        }
    }

    static void close(int descriptor) {
        try {
            var ignored = (int) CLOSE.invokeExact(descriptor);
        } catch (Throwable failure) {
            throw new IllegalStateException("close could not be called", failure);
        }
    }

    @SuppressWarnings("restricted")
    private static MethodHandle openat() {
        var linker = Linker.nativeLinker();
        return linker.downcallHandle(
                linker.defaultLookup().findOrThrow("openat"),
                FunctionDescriptor.of(
                        ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_INT),
                Linker.Option.firstVariadicArg(3),
                Linker.Option.captureCallState("errno"));
    }

    @SuppressWarnings("restricted")
    private static MethodHandle close() {
        var linker = Linker.nativeLinker();
        return linker.downcallHandle(
                linker.defaultLookup().findOrThrow("close"),
                FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));
    }
}
