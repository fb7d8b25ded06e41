package dev.capsem.wire.json;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.PrettyPrinter;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.core.util.DefaultIndenter;
import tools.jackson.core.util.DefaultPrettyPrinter;
import tools.jackson.core.util.Separators;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/// Text ↔ tree, strictly: one value, no duplicate members, bounded depth. Reading members: [JsonMembers].
///
/// Trees are built from tokens here. Jackson's mapper would do the same, but setting it up takes longer than a small
/// command may, and every program of ours reads JSON before it can be useful.
public final class Json {
    /// Deeper than any message of ours; a document nested on purpose stops here.
    public static final int DEPTH_MAX = 64;
    /// Larger than the largest base64 of an IPC frame; callers bound the document itself.
    private static final int STRING_LENGTH_MAX = 16 * 1024 * 1024;

    private static final DefaultIndenter LINES = new DefaultIndenter("  ", "\n");
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
    private static final JsonFactory FACTORY = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(DEPTH_MAX)
                    .maxStringLength(STRING_LENGTH_MAX)
                    .build())
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .build();

    private Json() {}

    /// Throws [JsonShapeException] when the bytes are not exactly one JSON value.
    public static JsonNode parse(byte[] utf8) {
        if (isWide(utf8)) {
            throw new JsonShapeException("not JSON: the text is not UTF-8");
        }
        try (JsonParser parser = FACTORY.createParser(ObjectReadContext.empty(), utf8)) {
            JsonToken first = parser.nextToken();
            if (first == null) {
                throw new JsonShapeException("not JSON: nothing there");
            }
            JsonNode value = value(parser, first);
            if (parser.nextToken() != null) {
                throw new JsonShapeException("not JSON: something follows the value");
            }
            return value;
        } catch (JacksonException e) {
            throw notJson(e);
        }
    }

    /// Jackson reads UTF-16 and UTF-32 where it finds them; everybody else here would read something else.
    private static boolean isWide(byte[] text) {
        boolean hasMark = text.length >= 2 && ((text[0] == -2 && text[1] == -1) || (text[0] == -1 && text[1] == -2));
        for (int i = 0; i < Math.min(text.length, 4); i++) {
            if (text[i] == 0) {
                return true;
            }
        }
        return hasMark;
    }

    public static JsonNode parse(String text) {
        return parse(text.getBytes(StandardCharsets.UTF_8));
    }

    public static byte[] bytes(JsonNode value) {
        var bytes = new ByteArrayOutputStream();
        try (JsonGenerator generator = FACTORY.createGenerator(ObjectWriteContext.empty(), bytes)) {
            write(generator, value);
        }
        return bytes.toByteArray();
    }

    /// JSON that is too long to be held whole, and is sent while it is made.
    public static void write(OutputStream to, Consumer<JsonGenerator> document) {
        try (JsonGenerator generator = FACTORY.createGenerator(ObjectWriteContext.empty(), to)) {
            document.accept(generator);
        }
    }

    public static String text(JsonNode value) {
        return new String(bytes(value), StandardCharsets.UTF_8);
    }

    /// Indented, for people and models to read.
    public static String pretty(JsonNode value) {
        var bytes = new ByteArrayOutputStream();
        try (JsonGenerator generator = FACTORY.createGenerator(new Indented(), bytes)) {
            write(generator, value);
        }
        return bytes.toString(StandardCharsets.UTF_8);
    }

    private static final class Indented extends ObjectWriteContext.Base {
        @Override
        public PrettyPrinter getPrettyPrinter() {
            return new DefaultPrettyPrinter()
                    .withObjectIndenter(LINES)
                    .withArrayIndenter(LINES)
                    .withSeparators(Separators.createDefaultInstance()
                            .withObjectNameValueSpacing(Separators.Spacing.AFTER)
                            .withObjectEmptySeparator("")
                            .withArrayEmptySeparator(""));
        }
    }

    public static ObjectNode object() {
        return NODES.objectNode();
    }

    public static ArrayNode array() {
        return NODES.arrayNode();
    }

    /// The recursion is as deep as the document, which the parser bounds by [#DEPTH_MAX].
    private static JsonNode value(JsonParser parser, @Nullable JsonToken token) {
        return switch (token) {
            case START_OBJECT -> objectValue(parser);
            case START_ARRAY -> arrayValue(parser);
            case VALUE_STRING -> NODES.stringNode(parser.getString());
            case VALUE_NUMBER_INT ->
                switch (parser.getNumberType()) {
                    case INT -> NODES.numberNode(parser.getIntValue());
                    case LONG -> NODES.numberNode(parser.getLongValue());
                    default -> NODES.numberNode(parser.getBigIntegerValue());
                };
            case VALUE_NUMBER_FLOAT -> NODES.numberNode(finite(parser.getDoubleValue()));
            case VALUE_TRUE -> NODES.booleanNode(true);
            case VALUE_FALSE -> NODES.booleanNode(false);
            case VALUE_NULL -> NODES.nullNode();
            case null, default -> throw new JsonShapeException("not JSON: a value is missing");
        };
    }

    /// An infinite number could not be written again but as a text.
    private static double finite(double number) {
        if (!Double.isFinite(number)) {
            throw new JsonShapeException("not JSON that can be kept: a number is too large");
        }
        return number;
    }

    private static ObjectNode objectValue(JsonParser parser) {
        ObjectNode object = NODES.objectNode();
        for (String name = parser.nextName(); name != null; name = parser.nextName()) {
            object.set(name, value(parser, parser.nextToken()));
        }
        return object;
    }

    private static ArrayNode arrayValue(JsonParser parser) {
        ArrayNode array = NODES.arrayNode();
        for (JsonToken token = parser.nextToken(); token != JsonToken.END_ARRAY; token = parser.nextToken()) {
            array.add(value(parser, token));
        }
        return array;
    }

    public static void write(JsonGenerator generator, JsonNode value) {
        switch (value.getNodeType()) {
            case OBJECT -> {
                generator.writeStartObject();
                for (Map.Entry<String, JsonNode> member : value.properties()) {
                    generator.writeName(member.getKey());
                    write(generator, member.getValue());
                }
                generator.writeEndObject();
            }
            case ARRAY -> {
                generator.writeStartArray();
                for (JsonNode item : value.values()) {
                    write(generator, item);
                }
                generator.writeEndArray();
            }
            case STRING -> generator.writeString(value.stringValue());
            case BOOLEAN -> generator.writeBoolean(value.booleanValue());
            case NUMBER -> writeNumber(generator, value);
            case NULL -> generator.writeNull();
            case BINARY -> generator.writeBinary(value.binaryValue());
            case MISSING, POJO -> throw new IllegalStateException("a tree of ours holds no " + value.getNodeType());
        }
    }

    private static void writeNumber(JsonGenerator generator, JsonNode value) {
        switch (value.numberType()) {
            case INT -> generator.writeNumber(value.intValue());
            case LONG -> generator.writeNumber(value.longValue());
            case BIG_INTEGER -> generator.writeNumber(value.bigIntegerValue());
            case FLOAT -> generator.writeNumber(value.floatValue());
            case DOUBLE -> generator.writeNumber(value.doubleValue());
            case BIG_DECIMAL -> generator.writeNumber(value.decimalValue());
        }
    }

    /// Only the position: Jackson's own message may quote the document.
    private static JsonShapeException notJson(JacksonException e) {
        var at = e.getLocation();
        return new JsonShapeException(
                at == null ? "not JSON" : "not JSON at line " + at.getLineNr() + ", column " + at.getColumnNr());
    }
}
