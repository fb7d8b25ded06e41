package dev.capsem.llm.provider;

import dev.capsem.llm.json.JsonCursor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Content that is a string, or a list of parts of which some are text.
final class ContentReader {
    private final StringBuilder text = new StringBuilder();
    private boolean hasText;
    private boolean hasImage;
    private boolean hasOther;
    private final Consumer<CallRequest.Part> parts;

    private ContentReader(Consumer<CallRequest.Part> parts) {
        this.parts = parts;
    }

    /// @param text parts joined by LF; a part that is not text is named in brackets
    /// @param isImage whether it is nothing but images
    record Content(String text, boolean isPresent, boolean isImage) {
        static final Content NONE = new Content("", false, false);

        @Nullable
        String orEmpty() {
            return isPresent ? text : null;
        }
    }

    /// Words of a reply.
    static Content read(JsonCursor in) {
        return read(in, _ -> {});
    }

    /// @param parts takes what else than words there is
    static Content read(JsonCursor in, Consumer<CallRequest.Part> parts) {
        if (in.isString()) {
            String whole = in.string();
            return whole == null ? Content.NONE : new Content(whole, true, false);
        }
        ContentReader reader = new ContentReader(parts);
        if (in.isObject()) {
            reader.part(in);
        } else if (in.enterArray()) {
            while (in.nextElement()) {
                reader.part(in);
            }
        } else {
            return Content.NONE;
        }
        return new Content(reader.text.toString(), true, reader.hasImage && !reader.hasText && !reader.hasOther);
    }

    private void part(JsonCursor in) {
        if (in.isString()) {
            String plain = in.string();
            add(plain == null ? "" : plain);
            hasText = true;
            return;
        }
        if (!in.enterObject()) {
            return;
        }
        String type = "";
        PartDraft other = new PartDraft();
        String words = null;
        String tool = null;
        while (in.nextMember()) {
            switch (in.name()) {
                case "type" -> {
                    String spelled = in.string();
                    type = spelled == null ? "" : spelled;
                }
                case "text", "refusal" -> words = in.string();
                case "tool_name" -> tool = in.string();
                default -> {
                    if (!other.member(in)) {
                        in.skip();
                    }
                }
            }
        }
        if (!type.isEmpty()) {
            other.type(type);
        }
        other.parts().forEach(parts);
        if (words != null) {
            hasText = true;
            add(words);
        } else if (!type.isEmpty()) {
            boolean isImage = type.equals("image") || type.equals("image_url") || type.equals("input_image");
            hasImage |= isImage;
            hasOther |= !isImage;
            add("[" + type + (tool == null ? "" : ": " + tool) + "]");
        }
    }

    private void add(String more) {
        if (!text.isEmpty()) {
            text.append('\n');
        }
        text.append(more);
    }
}
