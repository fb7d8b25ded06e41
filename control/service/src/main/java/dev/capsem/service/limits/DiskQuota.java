package dev.capsem.service.limits;

import dev.capsem.sandbox.LayerUse;
import java.util.Optional;

/// The disk space that the files of one sandbox may use.
public record DiskQuota(int megabytes) {
    private static final long MEGABYTE = 1_048_576;
    /// The share of a file in the quota: ordinary trees have larger ones, and filesystems are made for twice that.
    private static final long BYTES_PER_FILE = 8_192;

    public long bytes() {
        return megabytes * MEGABYTE;
    }

    public long files() {
        return bytes() / BYTES_PER_FILE;
    }

    /// The quota that would be just enough.
    public static DiskQuota neededBy(LayerUse use) {
        return new DiskQuota((int) Math.ceilDiv(Math.max(use.bytes(), use.files() * BYTES_PER_FILE), MEGABYTE));
    }

    /// Why a sandbox with these files must stop; empty if it may go on.
    public Optional<String> passedBy(LayerUse use) {
        if (use.bytes() > bytes()) {
            return Optional.of("stopped: its files passed the quota of " + megabytes + " MB");
        }
        return use.files() > files()
                ? Optional.of("stopped: it has more than the " + files() + " files that go with a quota of " + megabytes
                        + " MB")
                : Optional.empty();
    }
}
