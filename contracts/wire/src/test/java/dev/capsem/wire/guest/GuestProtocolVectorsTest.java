package dev.capsem.wire.guest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.wire.Decoded;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class GuestProtocolVectorsTest {
    record Vector(String name, String direction, byte[] frame, String fields) {
        boolean fromHost() {
            return direction.equals("host");
        }

        @Override
        public String toString() {
            return name;
        }
    }

    static List<Vector> vectors() {
        try (InputStream in = Objects.requireNonNull(GuestProtocol.class.getResourceAsStream("vectors.txt"))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.startsWith("#"))
                    .map(line -> line.split("\\|", 4))
                    .map(part -> new Vector(part[0], part[1], HexFormat.of().parseHex(part[2]), part[3]))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @ParameterizedTest
    @MethodSource("vectors")
    void decodesToItsFieldsAndEncodesBack(Vector vector) {
        ByteBuffer in = ByteBuffer.wrap(vector.frame());

        String fields;
        ByteBuffer encoded;
        if (vector.fromHost()) {
            HostMessage message = message(GuestProtocol.decodeHost(in), vector);
            fields = fields(message);
            encoded = GuestProtocol.encode(message);
        } else {
            GuestMessage message = message(GuestProtocol.decodeGuest(in), vector);
            fields = fields(message);
            encoded = GuestProtocol.encode(message);
        }

        assertThat(fields).isEqualTo(vector.fields());
        assertThat(encoded).isEqualTo(ByteBuffer.wrap(vector.frame()));
    }

    @ParameterizedTest
    @MethodSource("vectors")
    void isUnknownToItsOwnSender(Vector vector) {
        ByteBuffer in = ByteBuffer.wrap(vector.frame());

        Decoded<?> decoded = vector.fromHost() ? GuestProtocol.decodeGuest(in) : GuestProtocol.decodeHost(in);

        assertThat(decoded).isInstanceOf(Decoded.Malformed.class);
    }

    @ParameterizedTest
    @MethodSource("vectors")
    void everyPrefixNeedsMore(Vector vector) {
        for (int size = 0; size < vector.frame().length; size++) {
            ByteBuffer in = ByteBuffer.wrap(vector.frame(), 0, size);

            Decoded<?> decoded = vector.fromHost() ? GuestProtocol.decodeHost(in) : GuestProtocol.decodeGuest(in);

            assertThat(decoded).as("%d bytes", size).isInstanceOf(Decoded.NeedMore.class);
        }
    }

    @ParameterizedTest
    @MethodSource("vectors")
    void aByteTooManyInTheBodyIsMalformedUnlessTheBodyIsBytes(Vector vector) {
        byte[] longer = Arrays.copyOf(vector.frame(), vector.frame().length + 1);
        ByteBuffer in = ByteBuffer.wrap(longer);
        in.putInt(0, in.getInt(0) + 1);

        Decoded<?> decoded = vector.fromHost() ? GuestProtocol.decodeHost(in) : GuestProtocol.decodeGuest(in);

        boolean carriesBytes = vector.fields().contains("bytes=");
        assertThat(decoded).isInstanceOf(carriesBytes ? Decoded.Message.class : Decoded.Malformed.class);
    }

    private static <M> M message(Decoded<M> decoded, Vector vector) {
        assertThat(decoded).isInstanceOf(Decoded.Message.class);
        Decoded.Message<M> message = (Decoded.Message<M>) decoded;
        assertThat(message.consumed()).isEqualTo(vector.frame().length);
        return message.value();
    }

    private static String fields(HostMessage message) {
        return switch (message) {
            case HostMessage.Boot m ->
                "time=" + m.unixTimeNanos() + " hostname=" + m.hostname() + " env=" + pairs(m.environment());
            case HostMessage.Exec m ->
                "id=" + m.id() + " flags=" + m.flags() + " rows=" + m.rows() + " columns=" + m.columns() + " cwd="
                        + m.cwd() + " argv=" + String.join(",", m.argv()) + " env=" + pairs(m.environment());
            case HostMessage.Signal m -> "id=" + m.id() + " signal=" + m.number();
            case HostMessage.Resize m -> "id=" + m.id() + " rows=" + m.rows() + " columns=" + m.columns();
            case HostMessage.Shutdown m -> "grace=" + m.graceMillis();
            case HostMessage.Ping m -> "id=" + m.nonce() + " time=" + m.unixTimeNanos();
            case HostMessage.Input m ->
                "id=" + m.id() + " bytes=" + HexFormat.of().formatHex(m.data());
            case HostMessage.InputEnd m -> "id=" + m.id();
            case HostMessage.OutputCredit m -> "id=" + m.id() + " credit=" + m.bytes();
        };
    }

    private static String fields(GuestMessage message) {
        return switch (message) {
            case GuestMessage.Hello m ->
                "version=" + m.protocolVersion() + " port=" + m.port() + " agent=" + m.agentVersion();
            case GuestMessage.Ready m ->
                "stages="
                        + m.stages().stream()
                                .map(stage -> stage.name() + ":" + stage.micros())
                                .collect(Collectors.joining(","));
            case GuestMessage.Started m -> "id=" + m.id() + " pid=" + m.guestPid();
            case GuestMessage.Exited m ->
                "id=" + m.id() + " how=" + m.how().code() + " code=" + m.code() + " stdout=" + m.stdoutBytes()
                        + " stderr=" + m.stderrBytes() + " message=" + m.message();
            case GuestMessage.Pong m -> "id=" + m.nonce();
            case GuestMessage.Execed m ->
                "pid=" + m.pid() + " parent=" + m.parentPid() + " uid=" + m.uid() + " session=" + m.session()
                        + " flags="
                        + ((m.isCut() ? 1 : 0) + (m.isUnreadable() ? 2 : 0)) + " program=" + m.program() + " directory="
                        + m.directory() + " terminal=" + m.terminal() + " parent-program=" + m.parentProgram()
                        + " argv=" + String.join(",", m.argv());
            case GuestMessage.ExecsMissed m -> "count=" + m.count();
            case GuestMessage.ExecAuditOff m -> "reason=" + m.reason();
            case GuestMessage.Output m ->
                "id=" + m.id() + " stream=" + m.stream().code() + " bytes="
                        + HexFormat.of().formatHex(m.data());
            case GuestMessage.OutputEnd m ->
                "id=" + m.id() + " stream=" + m.stream().code();
            case GuestMessage.InputCredit m -> "id=" + m.id() + " credit=" + m.bytes();
        };
    }

    private static String pairs(List<EnvironmentVariable> environment) {
        return environment.stream()
                .map(variable -> variable.name() + "=" + variable.value())
                .collect(Collectors.joining(","));
    }
}
