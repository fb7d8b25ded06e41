package dev.capsem.sandbox.room;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/// Used and free space of a filesystem, for ordinary users.
///
/// @param filesTotal 0 where a filesystem does not count its files
public record FilesystemRoom(long bytesTotal, long bytesFree, long filesTotal, long filesFree) {
    /// One system call: cheap enough to be asked several times a second.
    public static FilesystemRoom of(Path path) throws IOException {
        long[] numbers = StatvfsNative.ask(path.toString().getBytes(StandardCharsets.UTF_8));
        if (numbers.length == 0) {
            throw new IOException(path + ": its filesystem does not say how much room it has");
        }
        long unit = numbers[StatvfsNative.UNIT];
        return new FilesystemRoom(
                numbers[StatvfsNative.BLOCKS] * unit,
                numbers[StatvfsNative.BLOCKS_FREE] * unit,
                numbers[StatvfsNative.FILES],
                numbers[StatvfsNative.FILES_FREE]);
    }

    public long bytesUsed() {
        return bytesTotal - bytesFree;
    }
}
