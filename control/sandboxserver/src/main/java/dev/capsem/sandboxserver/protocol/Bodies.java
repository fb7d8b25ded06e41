package dev.capsem.sandboxserver.protocol;

import dev.capsem.http.LongJson;
import dev.capsem.http.RouteCall;
import dev.capsem.wire.SandboxId;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonMembers;
import dev.capsem.wire.json.JsonShapeException;
import java.io.ByteArrayInputStream;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.StandardCharsets;
import tools.jackson.core.JsonGenerator;

/// What the bodies of many routes have in common: the sandbox they are about, and bytes as text or base64.
public final class Bodies {
    private static final int SCRATCH_CHARACTERS = 8_192;

    private Bodies() {}

    public static JsonMembers of(RouteCall call) {
        return JsonMembers.of(call.json(), "");
    }

    public static String sandbox(JsonMembers body) {
        return id(body.text("sandbox"), "sandbox");
    }

    /// An id from outside. Checked before anything is looked up by it.
    public static String id(String text, String what) {
        if (!SandboxId.isValid(text)) {
            throw new ApiProblem(
                    ApiProblem.Code.INVALID_INPUT,
                    what + " is not an id",
                    "use 1 to 64 of A-Z a-z 0-9 - _, the first a letter or digit");
        }
        return text;
    }

    public static boolean wantsBase64(JsonMembers body) {
        return switch (body.optionalText("encoding").orElse("utf-8")) {
            case "utf-8" -> false;
            case "base64" -> true;
            default -> throw new JsonShapeException("encoding must be utf-8 or base64");
        };
    }

    public static byte[] content(JsonMembers body, String name) {
        return wantsBase64(body) ? body.bytes(name) : body.text(name).getBytes(StandardCharsets.UTF_8);
    }

    /// As text where the bytes are text and nobody wants otherwise; else as base64, with a member that says so.
    public static void writeContent(JsonGenerator out, String name, byte[] bytes, boolean base64) {
        if (!base64 && isText(bytes)) {
            LongJson.text(out, name, new ByteArrayInputStream(bytes));
        } else {
            LongJson.base64(out, name, new ByteArrayInputStream(bytes), bytes.length);
            LongJson.members(out, Json.object().put("encoding", "base64"));
        }
    }

    private static boolean isText(byte[] bytes) {
        CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder();
        ByteBuffer in = ByteBuffer.wrap(bytes);
        CharBuffer out = CharBuffer.allocate(SCRATCH_CHARACTERS);
        CoderResult result = CoderResult.OVERFLOW;
        while (result.isOverflow()) {
            out.clear();
            result = decoder.decode(in, out, true);
        }
        return !result.isError();
    }
}
