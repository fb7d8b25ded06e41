package dev.capsem.sandboxserver.workspaces;

import dev.capsem.fuzz.Property;
import dev.capsem.sandboxserver.protocol.ApiProblem;

/// Archives that a guest wrote.
public final class ArchiveFuzz {
    private ArchiveFuzz() {}

    public static void fuzzerTestOneInput(byte[] data) {
        Archive archive;
        try {
            archive = Archive.read(data);
        } catch (ApiProblem refused) {
            return;
        }
        Property.holds(archive.files().size() <= data.length / 512, "files out of nothing");
        archive.files().forEach((path, file) -> {
            Property.holds(!path.isEmpty() && file.mode() <= 07777, "a file without a name or with an odd mode");
            Property.holds(
                    file.size() >= 0 && file.offset() >= 512 && file.offset() + file.size() <= data.length,
                    "a file beyond the archive");
            Property.same(archive.content(file).length, file.size(), "the size of a content");
        });
    }
}
