package dev.capsem.testkit.registry;

import dev.capsem.testkit.Programs;
import dev.capsem.testkit.http.Exchange;
import dev.capsem.testkit.http.HttpOrigin;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/// A registry for npm at `/npm/` with the package `capsem-probe`, and one for pip at `/simple/` with the same name.
/// Each prints a line when it is run.
public final class PackageRegistry implements HttpOrigin.Handler {
    private static final String WHEEL = "capsem_probe-1.0.0-py3-none-any.whl";

    private final byte[] tarball;
    private final byte[] wheel;

    private PackageRegistry(byte[] tarball, byte[] wheel) {
        this.tarball = tarball;
        this.wheel = wheel;
    }

    /// @param directory to build the packages in
    public static PackageRegistry in(Path directory) {
        try {
            Path content = Files.createDirectories(directory.resolve("package"));
            Files.writeString(
                    content.resolve("package.json"),
                    "{\"name\": \"capsem-probe\", \"version\": \"1.0.0\", \"main\": \"index.js\"}\n");
            Files.writeString(content.resolve("index.js"), "console.log('npm package runs');\n");
            Programs.run(directory, List.of("tar", "-czf", "probe.tgz", "package"));
            return new PackageRegistry(Files.readAllBytes(directory.resolve("probe.tgz")), wheel());
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    private static byte[] wheel() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        String folder = "capsem_probe-1.0.0.dist-info/";
        try (ZipOutputStream zip = new ZipOutputStream(bytes)) {
            entry(zip, "capsem_probe.py", "print('pip package runs')\n");
            entry(zip, folder + "METADATA", "Metadata-Version: 2.1\nName: capsem-probe\nVersion: 1.0.0\n");
            entry(zip, folder + "WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n");
            entry(
                    zip,
                    folder + "RECORD",
                    "capsem_probe.py,,\n" + folder + "METADATA,,\n" + folder + "WHEEL,,\n" + folder + "RECORD,,\n");
        }
        return bytes.toByteArray();
    }

    private static void entry(ZipOutputStream zip, String name, String content) throws IOException {
        zip.putNextEntry(new ZipEntry(name));
        zip.write(content.getBytes(StandardCharsets.UTF_8));
        zip.closeEntry();
    }

    @Override
    public void handle(Exchange exchange) throws IOException {
        String path = exchange.path();
        if (path.equals("/npm/capsem-probe")) {
            exchange.reply(
                    200, "application/json", document(exchange.header("host").orElse("")));
        } else if (path.equals("/npm/capsem-probe/-/capsem-probe-1.0.0.tgz")) {
            exchange.reply(200, Map.of("content-type", "application/octet-stream"), tarball);
        } else if (path.equals("/simple/capsem-probe/")) {
            exchange.reply(
                    200,
                    "text/html",
                    "<!DOCTYPE html><html><body><a href=\"/files/" + WHEEL + "#sha256="
                            + HexFormat.of().formatHex(hash("SHA-256", wheel)) + "\">" + WHEEL
                            + "</a></body></html>\n");
        } else if (path.equals("/files/" + WHEEL)) {
            exchange.reply(200, Map.of("content-type", "application/octet-stream"), wheel);
        } else {
            exchange.reply(404, "application/json", "{\"error\": \"not found\"}\n");
        }
    }

    private String document(String host) {
        return """
                {"name": "capsem-probe", "dist-tags": {"latest": "1.0.0"},
                 "versions": {"1.0.0": {"name": "capsem-probe", "version": "1.0.0", "main": "index.js",
                   "dist": {"tarball": "https://%s/npm/capsem-probe/-/capsem-probe-1.0.0.tgz",
                            "integrity": "sha512-%s"}}}}
                """.formatted(host, Base64.getEncoder().encodeToString(hash("SHA-512", tarball)));
    }

    private static byte[] hash(String algorithm, byte[] bytes) {
        try {
            return MessageDigest.getInstance(algorithm).digest(bytes);
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
