package dev.capsem.wire.log;

import dev.capsem.wire.json.Json;
import java.util.Arrays;
import java.util.List;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// An exception as fields of a log line: its class, where it came from, and its message only where no payload can be in
/// it. Messages of parsers and of IO quote what they were given.
public record Thrown(String what, String location, List<String> frames) {
    public static final int FRAMES_MAX = 16;
    private static final int CAUSES_MAX = 8;
    private static final int MESSAGE_LENGTH_MAX = 300;

    public Thrown {
        frames = List.copyOf(frames);
    }

    public static Thrown of(Throwable failure) {
        Throwable root = failure;
        StringBuilder what = new StringBuilder(words(failure));
        for (int i = 0; i < CAUSES_MAX && root.getCause() != null; i++) {
            root = root.getCause();
            what.append(", caused by ").append(words(root));
        }
        List<String> frames = Arrays.stream(root.getStackTrace())
                .limit(FRAMES_MAX)
                .map(Thrown::frame)
                .toList();
        return new Thrown(what.toString(), location(root), frames);
    }

    private static String words(Throwable failure) {
        String name = failure.getClass().getName();
        String message = failure.getMessage();
        if (message == null || !speaksOnlyOurWords(failure)) {
            return name;
        }
        return name + ": " + message.substring(0, Math.min(message.length(), MESSAGE_LENGTH_MAX));
    }

    private static boolean speaksOnlyOurWords(Throwable failure) {
        return failure instanceof IllegalStateException
                || failure instanceof NullPointerException
                || failure instanceof IndexOutOfBoundsException
                || failure instanceof ClassCastException
                || failure instanceof ArithmeticException
                || failure instanceof UnsupportedOperationException
                || failure instanceof Error;
    }

    /// The first frame of ours, else the first.
    private static String location(Throwable failure) {
        StackTraceElement[] trace = failure.getStackTrace();
        return Arrays.stream(trace)
                .filter(element -> element.getClassName().startsWith("dev.capsem."))
                .findFirst()
                .or(() -> Arrays.stream(trace).findFirst())
                .map(element -> element.getFileName() + ":" + element.getLineNumber())
                .orElse("");
    }

    private static String frame(StackTraceElement element) {
        return element.getClassName() + "." + element.getMethodName() + "(" + element.getFileName() + ":"
                + element.getLineNumber() + ")";
    }

    public void putInto(ObjectNode fields) {
        fields.put("exception", what).put("location", location);
        ArrayNode list = Json.array();
        frames.forEach(list::add);
        fields.set("frames", list);
    }
}
