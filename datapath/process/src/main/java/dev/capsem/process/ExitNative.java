package dev.capsem.process;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/// `_exit(2)`: ends this process at once. A JVM that exits by itself first waits three tenths of a second for threads
/// that are in the kernel, and those that poll for virtual threads always are; whoever deletes a sandbox waits for it.
final class ExitNative {
    private static final MethodHandle EXIT = exit();

    private ExitNative() {}

    /// Makes the call ready, which takes longer than the call.
    static void prepare() {
        // Loading this class did it.
    }

    /// Runs no shutdown hook and flushes nothing.
    ///
    /// Requires: everything is written and released.
    static void now(int code) {
        try {
            EXIT.invokeExact(code);
        } catch (Throwable failure) {
            throw new IllegalStateException("_exit could not be called", failure);
        }
    }

    @SuppressWarnings("restricted")
    private static MethodHandle exit() {
        var linker = Linker.nativeLinker();
        return linker.downcallHandle(
                linker.defaultLookup().findOrThrow("_exit"), FunctionDescriptor.ofVoid(ValueLayout.JAVA_INT));
    }
}
