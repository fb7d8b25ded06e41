package dev.capsem.process.grant;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/// `prctl(2)`: closes this process to cores, debuggers and readers of its memory, not the programs that it starts.
public final class DumpableNative {
    private static final int PR_GET_DUMPABLE = 3;
    private static final int PR_SET_DUMPABLE = 4;

    private DumpableNative() {}

    /// Whether it is closed now.
    public static boolean close() {
        try {
            MethodHandle prctl = prctl();
            int failed = (int) prctl.invokeExact(PR_SET_DUMPABLE, 0L, 0L, 0L, 0L);
            int dumpable = (int) prctl.invokeExact(PR_GET_DUMPABLE, 0L, 0L, 0L, 0L);
            return failed == 0 && dumpable == 0;
        } catch (Throwable failure) {
            throw new IllegalStateException("prctl could not be called", failure);
        }
    }

    @SuppressWarnings("restricted")
    private static MethodHandle prctl() {
        var linker = Linker.nativeLinker();
        return linker.downcallHandle(
                linker.defaultLookup().findOrThrow("prctl"),
                FunctionDescriptor.of(
                        ValueLayout.JAVA_INT,
                        ValueLayout.JAVA_INT,
                        ValueLayout.JAVA_LONG,
                        ValueLayout.JAVA_LONG,
                        ValueLayout.JAVA_LONG,
                        ValueLayout.JAVA_LONG),
                Linker.Option.firstVariadicArg(1));
    }
}
