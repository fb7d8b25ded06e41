package dev.capsem.wire.ipc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.capsem.wire.Decoded;
import dev.capsem.wire.SandboxId;
import dev.capsem.wire.SandboxSpec;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonMembers;
import dev.capsem.wire.service.ExecRequest.Command;
import java.lang.reflect.RecordComponent;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.node.ObjectNode;

final class IpcProtocolTest {
    private static final SandboxSpec SPEC = new SandboxSpec(
            new SandboxId("brave-otter-tmp"),
            Path.of("/home/u/.capsem/run/sessions/brave-otter-tmp"),
            Path.of("/tmp/capsem-1/brave"),
            new SandboxSpec.Limits(2_048, 2, 1_024),
            Map.of("LANG", "C.UTF-8"),
            Optional.of(new SandboxSpec.Project(
                    Path.of("/home/u/project"), "project", SandboxSpec.Project.Access.COPY_ON_WRITE)),
            new SandboxSpec.View(
                    List.of(new SandboxSpec.Mount(Path.of("/home/u/tool"), Path.of("/opt/tool"))), List.of(".env")),
            "default",
            "u");

    static Stream<ServiceMessage> serviceMessages() {
        return Stream.of(
                new ServiceMessage.Hello(1, "abc", "capsem-service"),
                new ServiceMessage.Assign(SPEC, Path.of("/run/x.sock")),
                new ServiceMessage.GetStatus(),
                new ServiceMessage.Exec(
                        new Command.Shell("echo ä"),
                        "/root/src",
                        Map.of("A", "b"),
                        true,
                        Optional.of(new ServiceMessage.Terminal(40, 120)),
                        Optional.of(Duration.ofMillis(1_500)),
                        "cli",
                        Optional.of("trace"),
                        10_485_760),
                new ServiceMessage.InputEnd(),
                new ServiceMessage.Signal(15),
                new ServiceMessage.Resize(25, 80),
                new ServiceMessage.FileOperation(List.of("file-stat", "a"), false),
                new ServiceMessage.Suspend(),
                new ServiceMessage.Resume(),
                new ServiceMessage.HoldStill(),
                new ServiceMessage.Release(),
                new ServiceMessage.Relocate(new SandboxId("mine"), Path.of("/p/mine"), Path.of("/i/mine.sock")),
                new ServiceMessage.Stop(Duration.ofSeconds(2)),
                new ServiceMessage.Stop(Duration.ZERO, Optional.of("stopped: its files passed the quota of 64 MB")),
                new ServiceMessage.Subscribe(),
                new ServiceMessage.Attend(),
                new ServiceMessage.Reply("q1", true, "session", "cli u"),
                new ServiceMessage.Unwatched("q1"),
                new ServiceMessage.Prepare("q1"),
                new ServiceMessage.KeepBudgets(),
                new ServiceMessage.BudgetGranted("r1", Optional.of("80 %")),
                new ServiceMessage.BudgetGranted("r1", Optional.empty()),
                new ServiceMessage.BudgetDenied(
                        "r1", Optional.of("daily"), "why", "raise it", true, OptionalLong.of(7)),
                new ServiceMessage.BudgetDenied("r1", Optional.empty(), "why", "wait", false, OptionalLong.empty()),
                new ServiceMessage.BudgetNoted("r1"),
                new ServiceMessage.ReloadConfig(),
                new ServiceMessage.GetMetrics(),
                new ServiceMessage.GetRuleStats(),
                new ServiceMessage.GetTools(),
                new ServiceMessage.ApproveTools(List.of("github__search")));
    }

    static Stream<ProcessMessage> processMessages() {
        return Stream.of(
                new ProcessMessage.Hello(1, "abc", "capsem-process", 42),
                new ProcessMessage.BootStage("network", Duration.ofNanos(812_000)),
                new ProcessMessage.Assigned(17, "{}"),
                new ProcessMessage.Status(Optional.of("a"), "Running", 5, Map.of("total_requests", 7L), 1),
                new ProcessMessage.Status(Optional.empty(), "Spare", 5, Map.of(), 0),
                new ProcessMessage.Status(
                        Optional.of("a"),
                        "Running",
                        5,
                        Map.of(),
                        0,
                        Optional.of("no profile"),
                        Optional.empty(),
                        Optional.empty()),
                new ProcessMessage.Status(
                        Optional.of("a"),
                        "Running",
                        5,
                        Map.of(),
                        0,
                        Optional.empty(),
                        Optional.of("the disk is full"),
                        Optional.of("busy")),
                new ProcessMessage.Started(1, 9),
                new ProcessMessage.Exited(124, Optional.of("timed out"), true, Duration.ofMillis(5), 1L << 40, 2),
                new ProcessMessage.Exited(0, Optional.empty(), false, Duration.ZERO, 0, 0),
                new ProcessMessage.Done(),
                new ProcessMessage.Event("exec", "{\"a\":1}"),
                new ProcessMessage.Question(
                        "q1",
                        "http.request",
                        "security.rules.http.default",
                        Optional.of("why"),
                        "GET https://example.org/",
                        Optional.of("curl"),
                        Optional.empty(),
                        1,
                        2,
                        List.of(new ProcessMessage.Detail("query", "a=b")),
                        new ProcessMessage.Covers("this", "every GET", Optional.of("every host")),
                        true),
                new ProcessMessage.QuestionOver("q1", "timed_out"),
                new ProcessMessage.Prepared(
                        "q1",
                        Optional.of("[x]"),
                        Optional.empty(),
                        Optional.of("10.0.0.1 (private)"),
                        Optional.of("every host")),
                new ProcessMessage.Prepared(
                        "q1", Optional.empty(), Optional.of("why"), Optional.empty(), Optional.empty()),
                new ProcessMessage.Reserve("r1", List.of(new ProcessMessage.Claim("daily", "usd", 310_000, 4)), true),
                new ProcessMessage.Took("r1"),
                new ProcessMessage.Settle("r1", List.of(new ProcessMessage.Claim("daily", "tokens", 9, 0))),
                new ProcessMessage.Unspent("r1"),
                new ProcessMessage.Reloaded("3", 12, List.of("w")),
                new ProcessMessage.Metrics("{}"),
                new ProcessMessage.RuleStats("{}"),
                new ProcessMessage.Tools("{}"),
                new ProcessMessage.Failed(FailureCode.BOOT_FAILED, "why", "what to do"));
    }

    @ParameterizedTest
    @MethodSource("serviceMessages")
    void serviceMessagesComeBack(ServiceMessage message) {
        ByteBuffer frame = IpcProtocol.encode(message);

        assertThat(IpcProtocol.decodeService(frame)).isEqualTo(new Decoded.Message<>(message, frame.remaining()));
    }

    @ParameterizedTest
    @MethodSource("processMessages")
    void processMessagesComeBack(ProcessMessage message) {
        ByteBuffer frame = IpcProtocol.encode(message);

        assertThat(IpcProtocol.decodeProcess(frame)).isEqualTo(new Decoded.Message<>(message, frame.remaining()));
    }

    @Test
    void dataComesBack() {
        byte[] data = {0, -1, 10, 127};

        Decoded<ServiceMessage> input = IpcProtocol.decodeService(IpcProtocol.encode(new ServiceMessage.Input(data)));
        Decoded<ProcessMessage> output =
                IpcProtocol.decodeProcess(IpcProtocol.encode(new ProcessMessage.Output(2, data)));

        assertThat(input)
                .isInstanceOfSatisfying(
                        Decoded.Message.class,
                        m -> assertThat(m.value())
                                .isInstanceOfSatisfying(
                                        ServiceMessage.Input.class,
                                        i -> assertThat(i.data()).isEqualTo(data)));
        assertThat(output)
                .isInstanceOfSatisfying(
                        Decoded.Message.class,
                        m -> assertThat(m.value())
                                .isInstanceOfSatisfying(
                                        ProcessMessage.Output.class,
                                        o -> assertThat(o.data()).isEqualTo(data)));
    }

    @ParameterizedTest
    @MethodSource("serviceMessages")
    void unknownMembersAreIgnored(ServiceMessage message) {
        ObjectNode json = ServiceMessageJson.write(message).put("inventedLater", 1);

        assertThat(ServiceMessageJson.read(JsonMembers.of(json, ""))).isEqualTo(message);
    }

    @ParameterizedTest
    @MethodSource("processMessages")
    void unknownMembersOfAnswersAreIgnored(ProcessMessage message) {
        ObjectNode json = ProcessMessageJson.write(message).put("inventedLater", 1);

        assertThat(ProcessMessageJson.read(JsonMembers.of(json, ""))).isEqualTo(message);
    }

    @Test
    void absentAndUnsetMembersOfAnExecTakeTheirDefaults() {
        ServiceMessage.Exec expected = new ServiceMessage.Exec(
                new Command.Argv(List.of("a")),
                "",
                Map.of(),
                false,
                Optional.empty(),
                Optional.empty(),
                "api",
                Optional.empty(),
                0);

        assertThat(decoded("{'type':'Exec','command':{'argv':['a']}}")).isEqualTo(expected);
        assertThat(decoded("{'type':'Exec','command':{'argv':['a']},'cwd':null,'environment':null,'stdin':null,"
                        + "'terminal':null,'timeout':null,'source':null,'traceId':null,'keepBytesMax':null}"))
                .isEqualTo(expected);
    }

    @Test
    void keepsALineApartFromTheSameWords() {
        var line = new Command.Shell("make all");
        var words = new Command.Argv(List.of("/bin/sh", "-c", "make all"));

        assertThat(commandOf(line)).isEqualTo(line);
        assertThat(commandOf(words)).isEqualTo(words);
        assertThat(line.argv()).isEqualTo(words.argv());
    }

    private static Command commandOf(Command command) {
        var exec = new ServiceMessage.Exec(
                command, "", Map.of(), false, Optional.empty(), Optional.empty(), "api", Optional.empty(), 0);
        JsonMembers json = JsonMembers.of(ServiceMessageJson.write(exec), "");
        return ((ServiceMessage.Exec) ServiceMessageJson.read(json)).command();
    }

    @Test
    void refusesACodeThatItDoesNotKnow() {
        ByteBuffer frame = IpcProtocol.encode(new ProcessMessage.Failed(FailureCode.BLOCKED, "why", "what to do"));
        String text = StandardCharsets.ISO_8859_1.decode(frame).toString().replace("blocked", "slocked");

        assertThat(IpcProtocol.decodeProcess(ByteBuffer.wrap(text.getBytes(StandardCharsets.ISO_8859_1))))
                .isEqualTo(new Decoded.Malformed<>("code is not one of a process"));
    }

    @Test
    void refusesWhatIsNoMessage() {
        assertThat(malformed("[]")).isEqualTo("the document must be an object");
        assertThat(malformed("{}")).isEqualTo("type is missing: it must be a string");
        assertThat(malformed("{'type':'Invented'}")).isEqualTo("type is not a message of the service");
        assertThat(malformed("{'type':'Signal','number':'9'}")).isEqualTo("number must be a whole number");
        assertThat(malformed("{'type':'Exec','command':{'argv':[1]}}"))
                .isEqualTo("command.argv must be an array of strings");
        assertThat(malformed("{'type':'Input','data':'*'}")).isEqualTo("data must be base64");
        assertThat(malformed("{'type':'Relocate','newId':'../x','newSessionDir':'a','newInstanceSocket':'b'}"))
                .isEqualTo("newId must be a sandbox id");
        assertThat(malformed("{'type':'GetStatus'")).startsWith("not JSON");
        assertThat(malformed("{'type':'GetStatus'} x")).startsWith("not JSON");
        assertThat(malformed("{'type':'GetStatus','type':'Stop'}")).startsWith("not JSON");
        assertThat(malformed("")).startsWith("not JSON");
    }

    @Test
    void refusesLengthsOutOfBounds() {
        for (int length : new int[] {-1, IpcProtocol.FRAME_BYTES_MAX + 1}) {
            ByteBuffer in = ByteBuffer.allocate(4).putInt(0, length);

            assertThat(IpcProtocol.decodeService(in)).isInstanceOf(Decoded.Malformed.class);
        }
        byte[] data = new byte[IpcProtocol.FRAME_BYTES_MAX];
        assertThatIllegalArgumentException().isThrownBy(() -> IpcProtocol.encode(new ServiceMessage.Input(data)));
    }

    @Test
    void everyPrefixNeedsMore() {
        ByteBuffer frame = IpcProtocol.encode(new ServiceMessage.Assign(SPEC, Path.of("/run/x.sock")));
        for (int size = 0; size < frame.remaining(); size++) {
            assertThat(IpcProtocol.decodeService(frame.slice(0, size))).isInstanceOf(Decoded.NeedMore.class);
        }
    }

    @Test
    void aSpecOutOfBoundsIsRefusedByName() {
        ObjectNode json = ServiceMessageJson.write(new ServiceMessage.Assign(SPEC, Path.of("/run/x.sock")));
        ((ObjectNode) json.get("spec").get("limits")).put("cpus", 99);

        assertThat(malformed(Json.text(json))).isEqualTo("limits: cpus must be 1 to 8, not 99");
    }

    @Test
    void schemaNamesEveryMessageAndField() {
        String fromRecords = Stream.of(
                        names("service", ServiceMessage.class),
                        names("process", ProcessMessage.class),
                        Stream.of(
                                name("record", ProcessMessage.Claim.class),
                                name("record", ProcessMessage.Detail.class),
                                name("record", ProcessMessage.Covers.class),
                                name("record", SandboxSpec.class),
                                name("record", SandboxSpec.Limits.class),
                                name("record", SandboxSpec.Project.class),
                                name("record", SandboxSpec.View.class),
                                name("record", SandboxSpec.Mount.class),
                                name("record", ServiceMessage.Terminal.class),
                                name("record", Command.Shell.class),
                                name("record", Command.Argv.class),
                                "code "
                                        + Arrays.stream(FailureCode.values())
                                                .map(FailureCode::wireName)
                                                .collect(Collectors.joining(","))))
                .flatMap(lines -> lines)
                .collect(Collectors.joining("\n", "", "\n"));

        assertThat(IpcSchema.TEXT).isEqualTo(fromRecords);
        assertThat(IpcProtocol.schemaHash()).hasSize(64);
    }

    @Test
    void everyMemberOfAMessageIsInItsJson() {
        Stream.concat(
                        serviceMessages().map(message -> Map.entry(message, ServiceMessageJson.write(message))),
                        processMessages().map(message -> Map.entry(message, ProcessMessageJson.write(message))))
                .filter(entry -> !entry.getKey().toString().contains("Optional.empty"))
                .forEach(entry -> assertThat(entry.getValue().propertyNames())
                        .containsAll(components(entry.getKey().getClass())));
    }

    private static Stream<String> names(String side, Class<?> messages) {
        return records(messages).distinct().map(type -> name(side, type)).sorted();
    }

    private static Stream<Class<?>> records(Class<?> family) {
        return family.isRecord()
                ? Stream.of(family)
                : Arrays.stream(family.getPermittedSubclasses()).flatMap(IpcProtocolTest::records);
    }

    private static String name(String family, Class<?> type) {
        return family + " " + type.getSimpleName() + "(" + String.join(",", components(type)) + ")";
    }

    private static List<String> components(Class<?> type) {
        return Arrays.stream(type.getRecordComponents())
                .map(RecordComponent::getName)
                .toList();
    }

    private static ServiceMessage decoded(String json) {
        assertThat(decode(json)).isInstanceOf(Decoded.Message.class);
        return ((Decoded.Message<ServiceMessage>) decode(json)).value();
    }

    private static String malformed(String json) {
        assertThat(decode(json)).isInstanceOf(Decoded.Malformed.class);
        return ((Decoded.Malformed<ServiceMessage>) decode(json)).reason();
    }

    private static Decoded<ServiceMessage> decode(String json) {
        byte[] body = json.replace('\'', '"').getBytes(StandardCharsets.UTF_8);
        return IpcProtocol.decodeService(ByteBuffer.allocate(4 + body.length)
                .putInt(body.length)
                .put(body)
                .flip());
    }
}
