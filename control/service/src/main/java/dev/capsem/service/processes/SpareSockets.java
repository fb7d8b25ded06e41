package dev.capsem.service.processes;

import dev.capsem.wire.HomeLayout;
import dev.capsem.wire.SandboxId;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/// Fresh socket paths for processes that have no sandbox yet.
public final class SpareSockets implements Supplier<Path> {
    private final HomeLayout layout;
    private final RandomGenerator random;

    public SpareSockets(HomeLayout layout, RandomGenerator random) {
        this.layout = layout;
        this.random = random;
    }

    @Override
    public Path get() {
        byte[] token = new byte[6];
        random.nextBytes(token);
        return layout.instanceSocket(new SandboxId("spare-" + HexFormat.of().formatHex(token)));
    }
}
