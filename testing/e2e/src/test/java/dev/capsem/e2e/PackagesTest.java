package dev.capsem.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.e2e.Installation.Executed;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// System writes land in the sandbox's own layer: package managers work inside, and the host does not change.
@Tag("e2e")
class PackagesTest {
    private static final String BUILD_DEB = """
            set -e; mkdir -p pkg/DEBIAN pkg/usr/bin pkg/etc
            printf 'Package: capsem-probe\\nVersion: 1\\nArchitecture: all\\nMaintainer: none <none@localhost>\\nDescription: probe\\n' > pkg/DEBIAN/control
            printf '#!/bin/sh\\necho probe-runs\\n' > pkg/usr/bin/capsem-probe; chmod 755 pkg/usr/bin/capsem-probe
            echo x > pkg/etc/capsem-probe.conf
            dpkg-deb --root-owner-group -b pkg probe.deb >/dev/null
            """;

    static List<Account> accounts() {
        return Account.available();
    }

    @ParameterizedTest
    @MethodSource("accounts")
    void debianPackageInstalls(Account account) {
        Assumptions.assumeTrue(Files.exists(Path.of("/usr/bin/apt-get")), "skipped: no apt-get on this host");
        try (Installation installation = Installation.shared(account)) {
            String id = installation.create();
            assertThat(installation.exec(id, BUILD_DEB).stderr()).isEmpty();

            Executed installed = installation.exec(id, "apt-get install -y ./probe.deb 2>&1; capsem-probe");

            assertThat(installed.stdout()).contains("probe-runs");
            assertThat(Path.of("/usr/bin/capsem-probe")).doesNotExist();
        }
    }

    @ParameterizedTest
    @MethodSource("accounts")
    void npmPackageInstallsGlobally(Account account) {
        Assumptions.assumeTrue(Files.exists(Path.of("/usr/bin/npm")), "skipped: no npm in /usr/bin on this host");
        try (Installation installation = Installation.shared(account)) {
            String id = installation.create();
            installation
                    .upload(
                            "/files/" + id + "/content?path=p/package.json",
                            "{\"name\":\"capsem-probe\",\"version\":\"1.0.0\",\"bin\":{\"capsem-npm-probe\":\"x.js\"}}"
                                    .getBytes(StandardCharsets.UTF_8))
                    .expect(200);
            installation
                    .upload(
                            "/files/" + id + "/content?path=p/x.js",
                            "#!/usr/bin/env node\nconsole.log('npm-probe-runs')\n".getBytes(StandardCharsets.UTF_8))
                    .expect(200);

            Executed installed = installation.exec(
                    id,
                    "cd p && npm pack --silent && npm install -g --offline --no-audit --no-fund ./capsem-probe-1.0.0.tgz 2>&1;"
                            + " \"$(npm prefix -g)\"/bin/capsem-npm-probe");

            assertThat(installed.stdout()).as("%s", installed.stderr()).contains("npm-probe-runs");
        }
    }

    @ParameterizedTest
    @MethodSource("accounts")
    void pipPackageInstalls(Account account) {
        Assumptions.assumeTrue(
                Files.exists(Path.of("/usr/bin/pip3"))
                        || Files.isDirectory(Path.of("/usr/lib/python3/dist-packages/pip")),
                "skipped: no pip in /usr on this host");
        try (Installation installation = Installation.shared(account)) {
            String id = installation.create();

            Executed installed = installation.exec(
                    id,
                    "mkdir w && cd w && mkdir capsem_probe-1.dist-info && echo 'print(\"pip-probe-runs\")' > capsem_probe.py"
                            + " && printf 'Metadata-Version: 2.1\\nName: capsem-probe\\nVersion: 1\\n' > capsem_probe-1.dist-info/METADATA"
                            + " && printf 'Wheel-Version: 1.0\\nGenerator: x\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n' > capsem_probe-1.dist-info/WHEEL"
                            + " && printf 'capsem_probe.py,,\\ncapsem_probe-1.dist-info/METADATA,,\\ncapsem_probe-1.dist-info/WHEEL,,\\ncapsem_probe-1.dist-info/RECORD,,\\n' > capsem_probe-1.dist-info/RECORD"
                            + " && python3 -m zipfile -c capsem_probe-1-py3-none-any.whl capsem_probe.py capsem_probe-1.dist-info"
                            + " && /usr/bin/python3 -m pip install --no-index --break-system-packages ./capsem_probe-1-py3-none-any.whl 2>&1;"
                            + " cd / && /usr/bin/python3 -m capsem_probe");

            assertThat(installed.stdout()).as("%s", installed.stderr()).contains("pip-probe-runs");
        }
    }
}
