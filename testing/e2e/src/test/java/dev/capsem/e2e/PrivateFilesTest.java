package dev.capsem.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.capsem.e2e.Commands.Outcome;
import dev.capsem.e2e.Installation.Executed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Files of the host that are no guest's business, in directories that guests see or have a copy of.
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

    /// The host's /etc is a copy with more in it, in a mount namespace of the test's own; there is little in /usr.
    @Test
    void onlyWhatProgramsNeedIsCopiedFromEtc(@TempDir Path directory) throws IOException {
        assumeTrue(Account.available().contains(Account.ROOT), "only root can mount");
        String plant = """
                set -e; umask 022
                cp -a /etc "$1/etc"; mount --bind "$1/etc" /etc; cd /etc; mkdir -p profile.d maven apt/sources.list.d capsem ssl/certs
                mkdir -p antivirus ssl/certs/sub php
                echo '%1$s' | tee company.conf profile.d/company.sh capsem/corp.toml ssl/certs/mine.key ssl/certs/sub/other.key > /dev/null
                echo '%1$s' | tee antivirus/settings javascript.conf hostname machine-id > /dev/null
                printf -- '-----BEGIN PRIVATE KEY-----\\n%1$s\\n' | tee ssl/certs/both.pem ca-certificates/both.pem > /dev/null
                echo 'mysqli.default_pw = %1$s' > php/php.ini
                echo '//mirror.example.test/:_authToken=%1$s' > npmrc
                echo 'http.extraHeader = Authorization: %1$s' > gitconfig
                echo 'password = %1$s' > wgetrc
                echo '<settings><!-- --><server><password>%1$s</password></server></settings>' > maven/settings.xml
                echo 'deb http://me:%1$s@mirror.example.test/ stable main' > apt/sources.list.d/company.list
                echo '# token: none' > pip.conf
                echo 'index-url = https://mirror.example.test/simple?by=@me' >> pip.conf
                mount -t tmpfs none /usr
                exec "$2" template --out "$1/template"
                """.formatted(SECRET);
        Path launcher = Path.of(System.getProperty("capsem.dist", "../../dist"), "libexec/capsem-launch")
                .toAbsolutePath();

        Outcome made = Commands.run(
                List.of("unshare", "-m", "sh", "-c", plant, "sh", directory.toString(), launcher.toString()),
                Map.of(),
                directory,
                new byte[0]);
        Outcome found = Commands.run(List.of("grep", "-r", "-l", SECRET, "template"), Map.of(), directory, new byte[0]);

        assertThat(made.exitCode()).as("%s%s", made.stdout(), made.stderr()).isZero();
        assertThat(found.stdout()).isEmpty();
        Path etc = directory.resolve("template/etc");
        assertThat(etc.resolve("pip.conf")).content().contains("mirror.example.test");
        for (String needed : List.of("nsswitch.conf", "ssl/certs/ca-certificates.crt", "ld.so.cache", "services")) {
            assertThat(Files.exists(etc.resolve(needed)))
                    .as("%s", needed)
                    .isEqualTo(Files.exists(Path.of("/etc").resolve(needed)));
        }
    }
}
