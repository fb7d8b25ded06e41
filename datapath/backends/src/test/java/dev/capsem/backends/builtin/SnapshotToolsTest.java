package dev.capsem.backends.builtin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.toolserver.McpTool;
import dev.capsem.toolserver.ServerSession;
import dev.capsem.wire.aggregator.BuiltinTools;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.jsonrpc.JsonRpc;
import dev.capsem.wire.jsonrpc.JsonRpcId;
import dev.capsem.wire.jsonrpc.JsonRpcMessage;
import dev.capsem.wire.jsonrpc.JsonRpcMessage.Request;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

class SnapshotToolsTest {
    private static final long BYTES_MAX = 10_000;

    @TempDir
    Path directory;

    private Path workspace;
    private Path kept;
    private Snapshots snapshots;
    private SnapshotTools tools;
    private Instant now = Instant.parse("2030-01-01T00:00:00Z");

    @BeforeEach
    void start() throws IOException {
        workspace = Files.createDirectory(directory.resolve("workspace"));
        kept = directory.resolve("snapshots");
        Files.writeString(directory.resolve("secret"), "outside");
        snapshots = new Snapshots(new WorkspaceFiles(workspace), new SnapshotStore(kept, BYTES_MAX), () -> now);
        tools = new SnapshotTools(snapshots);
    }

    @Test
    void thereAreExactlyTheSevenThatTheEndpointKnows() {
        assertThat(tools.tools().stream().map(McpTool::name))
                .containsExactlyInAnyOrderElementsOf(BuiltinTools.FILE.stream()
                        .filter(name -> name.startsWith("snapshots_"))
                        .toList());
        assertThat(definition("snapshots_compact")
                        .at("/inputSchema/properties/checkpoints/items/type")
                        .asString())
                .isEqualTo("string");
        assertThat(definition("snapshots_revert")
                        .at("/annotations/destructiveHint")
                        .asBoolean())
                .isTrue();
        assertThat(definition("snapshots_list").at("/annotations/readOnlyHint").asBoolean())
                .isTrue();
    }

    @Test
    void changesAreSeenAndOneFileComesBack() throws Exception {
        assertThat(text("snapshots_changes", "{}")).isEqualTo("No checkpoints available yet.");
        write("a.txt", "one");
        write("same.txt", "same");
        write("gone/deep.txt", "deep");
        JsonNode made = call("snapshots_create", "{\"name\":\"first\"}");
        assertThat(made.get("checkpoint").asString()).isEqualTo("cp-10");
        assertThat(made.get("available").asInt()).isEqualTo(11);
        assertThat(made.get("files_count").asInt()).isEqualTo(3);

        write("a.txt", "two");
        write("new.txt", "new");
        Files.delete(workspace.resolve("gone/deep.txt"));

        JsonNode changes = call("snapshots_changes", "{}");
        assertThat(changes.get("changes")
                        .valueStream()
                        .map(change -> change.get("op").asString() + " "
                                + change.get("path").asString()))
                .containsExactly("modified a.txt", "deleted gone/deep.txt", "created new.txt");
        assertThat(changes.at("/changes/0/checkpoint").asString()).isEqualTo("cp-10");
        assertThat(changes.at("/changes/0/checkpoint_name").asString()).isEqualTo("first");
        assertThat(changes.at("/changes/1/size").isNull()).isTrue();

        JsonNode back = call("snapshots_revert", "{\"path\":\"/root/a.txt\"}");
        assertThat(Json.text(back))
                .isEqualTo("{\"reverted\":true,\"path\":\"a.txt\",\"action\":\"restored\",\"checkpoint\":\"cp-10\","
                        + "\"restored\":1,\"deleted\":0}");
        assertThat(Files.readString(workspace.resolve("a.txt"))).isEqualTo("one");
        assertThat(call("snapshots_revert", "{\"path\":\"new.txt\",\"checkpoint\":\"cp-10\"}")
                        .get("action")
                        .asString())
                .isEqualTo("deleted");
        assertThat(workspace.resolve("new.txt")).doesNotExist();
        call("snapshots_revert", "{\"path\":\"gone/deep.txt\"}");
        assertThat(Files.readString(workspace.resolve("gone/deep.txt"))).isEqualTo("deep");
        assertThat(text("snapshots_changes", "{}")).isEqualTo("No changes since cp-10.\n");
        assertThat(failure("snapshots_revert", "{\"path\":\"a.txt\"}"))
                .isEqualTo("file already matches snapshot (already current)");
    }

    @Test
    void theWholeWorkspaceComesBackAndCanGoForwardAgain() throws Exception {
        write("kept/run.sh", "#!/bin/sh");
        Files.setPosixFilePermissions(workspace.resolve("kept/run.sh"), PosixFilePermissions.fromString("rwxr-x---"));
        Files.createDirectory(workspace.resolve("empty"));
        Files.createSymbolicLink(workspace.resolve("link"), Path.of("kept/run.sh"));
        write("was-file", "x");
        Files.createDirectory(workspace.resolve("was-directory"));
        write("was-directory/inner", "y");
        String before = picture();
        call("snapshots_create", "{\"name\":\"all\"}");

        Files.delete(workspace.resolve("link"));
        Files.createSymbolicLink(workspace.resolve("link"), Path.of("/etc/passwd"));
        Files.delete(workspace.resolve("kept/run.sh"));
        Files.delete(workspace.resolve("kept"));
        Files.delete(workspace.resolve("empty"));
        Files.delete(workspace.resolve("was-file"));
        write("was-file/now-directory", "z");
        Files.delete(workspace.resolve("was-directory/inner"));
        Files.delete(workspace.resolve("was-directory"));
        write("was-directory", "now a file");
        write("added/deeper/file", "w");
        String after = picture();

        JsonNode back = call("snapshots_revert", "{\"path\":\"/root\",\"checkpoint\":\"cp-10\"}");
        assertThat(back.get("reverted").asBoolean()).as("%s", back).isTrue();
        assertThat(picture()).isEqualTo(before);

        String undo = back.get("before").asString();
        call("snapshots_revert", "{\"path\":\".\",\"checkpoint\":\"" + undo + "\"}");
        assertThat(picture()).isEqualTo(after);
        assertThat(failure("snapshots_revert", "{\"path\":\"/root\"}")).contains("say which checkpoint");
    }

    @Test
    void linksAreNeverFollowed() throws Exception {
        Files.createSymbolicLink(workspace.resolve("out"), directory);
        Files.createSymbolicLink(workspace.resolve("file"), directory.resolve("secret"));
        write("d/secret", "inside");
        call("snapshots_create", "{\"name\":\"links\"}");
        Files.delete(workspace.resolve("d/secret"));
        Files.delete(workspace.resolve("d"));
        Files.createSymbolicLink(workspace.resolve("d"), directory);

        assertThat(failure("snapshots_revert", "{\"path\":\"out/secret\"}")).contains("in no snapshot");
        JsonNode through = call("snapshots_revert", "{\"path\":\"d/secret\",\"checkpoint\":\"cp-10\"}");
        JsonNode whole = call("snapshots_revert", "{\"path\":\"d\",\"checkpoint\":\"cp-10\"}");

        assertThat(through.get("reverted").asBoolean()).isFalse();
        assertThat(whole.get("reverted").asBoolean()).as("%s", whole).isTrue();
        assertThat(Files.readString(directory.resolve("secret"))).isEqualTo("outside");
        assertThat(Files.readString(workspace.resolve("d/secret"))).isEqualTo("inside");
        try (Stream<Path> files = Files.walk(kept)) {
            assertThat(files.filter(Files::isRegularFile).map(SnapshotToolsTest::read))
                    .noneMatch(content -> content.contains("outside"));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"../secret", "/etc/passwd", "a/../../secret", "nothing"})
    void pathsThatLeadElsewhereAreRefused(String path) throws Exception {
        call("snapshots_create", "{\"name\":\"x\"}");

        assertThat(failure("snapshots_revert", Json.text(Json.object().put("path", path))))
                .isNotEmpty();
        assertThat(Files.readString(directory.resolve("secret"))).isEqualTo("outside");
    }

    @Test
    void theRingKeepsTenAndOnlyWhatChanged() throws Exception {
        for (int i = 0; i < 13; i++) {
            write("f", "version " + i);
            now = now.plus(Duration.ofMinutes(5));
            assertThat(snapshots.automatic()).isPresent();
            assertThat(snapshots.automatic()).isEmpty();
        }

        JsonNode list = call("snapshots_list", "{\"format\":\"json\"}");

        assertThat(list.get("snapshots")).hasSize(10);
        assertThat(list.at("/snapshots/0/origin").asString()).isEqualTo("auto");
        assertThat(list.at("/snapshots/0/age").asString()).isEqualTo("0s ago");
        assertThat(list.at("/snapshots/9/age").asString()).isEqualTo("45m ago");
        assertThat(list.at("/snapshots/0/changes/0/op").asString()).isEqualTo("modified");
        assertThat(failure("snapshots_delete", "{\"checkpoint\":\"cp-3\"}")).contains("is automatic");
        assertThat(objects()).hasSize(10);
        assertThat(text("snapshots_list", "{}")).contains("12 of 12 named snapshots are free.");
    }

    @Test
    void namesAreCheckedAndThePoolIsBounded() throws Exception {
        for (String name : List.of("", "a b", "../x", "x".repeat(65))) {
            assertThat(failure("snapshots_create", Json.text(Json.object().put("name", name))))
                    .contains("a name is");
        }
        for (int i = 0; i < 12; i++) {
            call("snapshots_create", "{\"name\":\"n" + i + "\"}");
        }

        assertThat(failure("snapshots_create", "{\"name\":\"n1\"}")).contains("already: cp-11");
        assertThat(failure("snapshots_create", "{\"name\":\"more\"}"))
                .startsWith("no manual snapshot slots available (max 12)");
        assertThat(failure("snapshots_delete", "{\"checkpoint\":\"cp-99\"}")).contains("no checkpoint cp-99");
        call("snapshots_delete", "{\"checkpoint\":\"cp-15\"}");
        assertThat(call("snapshots_create", "{\"name\":\"more\"}")
                        .get("checkpoint")
                        .asString())
                .isEqualTo("cp-15");
    }

    @Test
    void historyTellsWhatBecameOfAFile() throws Exception {
        call("snapshots_create", "{\"name\":\"before\"}");
        later();
        write("f", "1");
        call("snapshots_create", "{\"name\":\"one\"}");
        later();
        call("snapshots_create", "{\"name\":\"still\"}");
        later();
        write("f", "22");
        call("snapshots_create", "{\"name\":\"two\"}");
        later();
        Files.delete(workspace.resolve("f"));
        call("snapshots_create", "{\"name\":\"none\"}");

        JsonNode history = call("snapshots_history", "{\"path\":\"f\"}");

        assertThat(history.get("current_size").isNull()).isTrue();
        assertThat(history.get("versions")
                        .valueStream()
                        .map(version -> version.get("name").asString() + " "
                                + version.get("status").asString()))
                .containsExactly("none deleted", "two modified", "still unchanged", "one new");
    }

    @Test
    void compactingKeepsTheNewestOfEachFile() throws Exception {
        write("a", "a1");
        call("snapshots_create", "{\"name\":\"one\"}");
        later();
        write("a", "a2");
        write("b", "b");
        call("snapshots_create", "{\"name\":\"two\"}");
        later();

        JsonNode done = call("snapshots_compact", "{\"checkpoints\":[\"cp-10\",\"cp-11\"]}");
        Files.delete(workspace.resolve("a"));
        Files.delete(workspace.resolve("b"));
        call(
                "snapshots_revert",
                "{\"path\":\"/root\",\"checkpoint\":\"" + done.get("checkpoint").asString() + "\"}");

        assertThat(done.get("merged_count").asInt()).isEqualTo(2);
        assertThat(done.get("name").asString()).isEqualTo("compacted_" + now.getEpochSecond());
        assertThat(Files.readString(workspace.resolve("a"))).isEqualTo("a2");
        assertThat(Files.readString(workspace.resolve("b"))).isEqualTo("b");
        assertThat(objects()).as("the old version is gone").hasSize(2);
    }

    @Test
    void equalContentsAreKeptOnceAndRoomIsMadeByForgettingAutomaticOnes() throws Exception {
        for (int i = 0; i < 5; i++) {
            write("big", Integer.toString(i).repeat(3_000));
            write("copy", Integer.toString(i).repeat(3_000));
            later();
            snapshots.automatic();
        }
        assertThat(call("snapshots_list", "{}").get("snapshots")).hasSize(3);

        write("big", "x".repeat(10_001));

        assertThat(failure("snapshots_create", "{\"name\":\"toobig\"}")).contains("no room");
        assertThat(kept.resolve("temporary").toFile().list()).hasSizeLessThan(2);
    }

    /// A file with holes claims any size: nothing is read, nothing is forgotten to make room for it.
    @Test
    @Timeout(60)
    void aTebibyteOfNothingCostsNoSnapshot() throws Exception {
        for (int i = 0; i < 3; i++) {
            write("a", Integer.toString(i));
            later();
            snapshots.automatic();
        }
        try (var hole = new RandomAccessFile(workspace.resolve("hole").toFile(), "rw")) {
            hole.setLength(1L << 40);
        }
        later();
        write("a", "x");

        assertThat(snapshots.automatic()).isPresent();
        assertThat(call("snapshots_list", "{}").get("snapshots")).hasSize(4);
        assertThat(failure("snapshots_create", "{\"name\":\"mine\"}"))
                .contains("no room for hole: it has 1099511627776 bytes", "move it out of the workspace");
        write("a", "yy");
        assertThat(call("snapshots_changes", "{}").get("changes")).hasSize(1);
        call("snapshots_revert", "{\"path\":\"/root\",\"checkpoint\":\"cp-0\"}");
        assertThat(workspace.resolve("hole")).as("left alone").hasSize(1L << 40);
        assertThat(Files.readString(workspace.resolve("a"))).isEqualTo("0");
        assertThat(kept.resolve("temporary").toFile().list()).isEmpty();
    }

    @Test
    void aFileOfTheSameSizeAndTimeIsReadAgainWhileItIsFresh() throws Exception {
        now = Instant.now();
        Path file = write("f", "aaa");
        call("snapshots_create", "{\"name\":\"one\"}");
        FileTime stamp = Files.getLastModifiedTime(file);
        write("f", "bbb");
        Files.setLastModifiedTime(file, stamp);

        assertThat(call("snapshots_changes", "{}").get("total").asInt()).isEqualTo(1);
    }

    @Test
    void damageAndLeftoversAreNoticed() throws Exception {
        write("f", "content");
        call("snapshots_create", "{\"name\":\"one\"}");
        Files.writeString(objects().getFirst(), "CONTENT");
        write("f", "other");
        Files.writeString(kept.resolve("temporary/left"), "by a program that died");
        Files.writeString(kept.resolve("slots/11"), "half a li");

        assertThat(call("snapshots_revert", "{\"path\":\"f\"}")
                        .at("/failures/0")
                        .asString())
                .contains("damaged");
        assertThat(Files.readString(workspace.resolve("f"))).isEqualTo("other");
        call("snapshots_create", "{\"name\":\"two\"}");
        assertThat(kept.resolve("temporary")).isEmptyDirectory();
        assertThat(call("snapshots_list", "{}").get("snapshots")).hasSize(2);
        assertThat(workspace.toFile().list()).containsExactly("f");
    }

    /// Its contents are somebody's last copy, whatever became of the file that lists them.
    @Test
    void aDamagedSnapshotIsSetAsideWithItsContents() throws Exception {
        write("f", "content");
        call("snapshots_create", "{\"name\":\"one\"}");
        Path slot = kept.resolve("slots/10");
        String damaged = Files.readString(slot).substring(3);
        Files.writeString(slot, damaged);
        write("f", "other");

        call("snapshots_create", "{\"name\":\"two\"}");

        assertThat(kept.resolve("slots/10.damaged-1")).hasContent(damaged);
        assertThat(objects()).hasSize(2);
        assertThat(call("snapshots_list", "{}").get("snapshots")).hasSize(1);
    }

    // --- words --------------------------------------------------------------------------------------------------

    private void later() {
        now = now.plusSeconds(60);
    }

    private Path write(String path, String content) throws IOException {
        Path file = workspace.resolve(path);
        Files.createDirectories(file.getParent());
        return Files.writeString(file, content);
    }

    private List<Path> objects() throws IOException {
        try (Stream<Path> files = Files.walk(kept.resolve("objects"))) {
            return files.filter(Files::isRegularFile).toList();
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    /// Names, kinds, modes and contents of all there is.
    private String picture() throws IOException {
        StringBuilder out = new StringBuilder();
        try (Stream<Path> paths = Files.walk(workspace)) {
            for (Path path : paths.sorted().toList()) {
                out.append(workspace.relativize(path)).append(' ');
                if (Files.isSymbolicLink(path)) {
                    out.append("-> ").append(Files.readSymbolicLink(path));
                } else {
                    out.append(PosixFilePermissions.toString(Files.getPosixFilePermissions(path)));
                    out.append(Files.isRegularFile(path) ? " " + Files.readString(path) : "");
                }
                out.append('\n');
            }
        }
        return out.toString();
    }

    private JsonNode definition(String name) {
        return tool(name).definition();
    }

    private McpTool tool(String name) {
        return tools.tools().stream()
                .filter(tool -> tool.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private JsonNode result(String name, String arguments) {
        ObjectNode params = Json.object().put("name", name);
        params.set("arguments", Json.parse(arguments));
        List<JsonRpcMessage> said = new ArrayList<>();
        new ServerSession(BuiltinServer.server(tools.tools()), _ -> {})
                .answer(new Request(JsonRpcId.of(1), "tools/call", Optional.of(params)), said::add);
        return Json.parse(JsonRpc.bytes(said.getFirst())).get("result");
    }

    private JsonNode call(String name, String arguments) {
        JsonNode result = result(name, arguments);
        assertThat(result.path("isError").asBoolean()).as(result.toString()).isFalse();
        return result.get("structuredContent");
    }

    private String text(String name, String arguments) {
        return result(name, arguments).at("/content/0/text").asString();
    }

    private String failure(String name, String arguments) {
        JsonNode result = result(name, arguments);
        assertThat(result.path("isError").asBoolean()).isTrue();
        return result.at("/content/0/text").asString();
    }
}
