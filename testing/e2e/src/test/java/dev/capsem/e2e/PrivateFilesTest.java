package dev.capsem.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.capsem.e2e.Installation.Executed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Files of the host's root that are not for everybody, in directories that show through into sandboxes.
@Tag("e2e")
class PrivateFilesTest {
    private static final String SECRET = "capsem-e2e-private-file";

    /// Deep enough that the template is not made anew for it.
    private static final Path PUBLIC_DIRECTORY = Path.of("/usr/share/misc");

    @Test
    void aPrivateFileThatIsMadeAfterTheTemplateStaysClosed() throws IOException {
        assumeTrue(Account.available().contains(Account.ROOT), "only root can write below /usr");
        assumeTrue(Files.isDirectory(PUBLIC_DIRECTORY));
        Path directory = Files.createTempDirectory(PUBLIC_DIRECTORY, ".capsem-e2e-");
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
        try (Installation installation = Installation.start(Account.ROOT)) {
            String earlier = installation.create();
            Path file = Files.writeString(directory.resolve("key"), SECRET);
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
            Path open = Files.writeString(directory.resolve("open"), "for everybody");
            Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rw-r--r--"));
            String later = installation.create();

            for (String sandbox : new String[] {earlier, later}) {
                Executed read = installation.exec(
                        sandbox,
                        "cat " + file + "; chmod 644 " + file + "; cp " + file + " /tmp/copy; ln " + file
                                + " /usr/share/misc/link; cat /tmp/copy /usr/share/misc/link " + file + "; cat "
                                + open);

                assertThat(read.stdout()).as("%s", read.stderr()).isEqualTo("for everybody");
            }
        } finally {
            try (var files = Files.list(directory)) {
                for (Path file : files.toList()) {
                    Files.delete(file);
                }
            }
            Files.delete(directory);
        }
    }
}
