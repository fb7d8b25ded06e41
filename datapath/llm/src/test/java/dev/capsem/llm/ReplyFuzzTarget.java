package dev.capsem.llm;

import dev.capsem.events.row.ModelRow;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;

/// For Jazzer's command line: any bytes as request and reply of any format must give a row, and the same row when the
/// reply comes in two chunks. The first byte picks the format, the second the split, the third where the reply starts.
public final class ReplyFuzzTarget {
    private static final List<String> URLS = List.of(
            "https://api.anthropic.com/v1/messages",
            "https://api.openai.com/v1/chat/completions",
            "https://api.openai.com/v1/responses",
            "https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-pro:streamGenerateContent",
            "http://ollama.example:11434/api/chat",
            "https://bedrock-runtime.eu-west-1.amazonaws.com/model/anthropic.claude/invoke-with-response-stream",
            "https://bedrock-runtime.eu-west-1.amazonaws.com/model/meta.llama/invoke-with-response-stream",
            "https://bedrock-runtime.eu-west-1.amazonaws.com/model/anthropic.claude/converse-stream");

    private ReplyFuzzTarget() {}

    public static void fuzzerTestOneInput(byte[] input) {
        if (input.length < 3) {
            return;
        }
        int body = 3 + (input[2] & 0xFF) * (input.length - 3) / 256;
        byte[] reply = Arrays.copyOfRange(input, body, input.length);
        Recorded call = new Recorded(
                "fuzz",
                Recorded.head("POST", URLS.get((input[0] & 0xFF) % URLS.size())),
                Arrays.copyOfRange(input, 3, body),
                200,
                reply);
        int cut = (input[1] & 0xFF) * reply.length / 256;

        ModelRow whole = call.row(Recorded.observer(), List.of());
        ModelRow split = call.row(Recorded.observer(), List.of(cut));
        if (!whole.equals(split)) {
            throw new AssertionError("cut at " + cut + " the reply means something else");
        }
        var tap = call.open(Recorded.observer());
        tap.responseBytes(ByteBuffer.wrap(reply));
        tap.response(Recorded.ENVELOPE);
    }
}
