package dev.capsem.llm.provider;

import dev.capsem.llm.json.JsonCursor;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// What else than words a part of a message holds, in any format: an image, a file, a mark for the provider's
/// cache. What they hold is passed over; only what it is called is read.
final class PartDraft {
    /// A data URL names its type at the beginning.
    private static final int BEGINNING_BYTES = 96;

    private String type = "";
    private @Nullable String mimeType;
    private @Nullable String fileName;

    /// Some name a type by its ending only.
    private @Nullable String format;

    private @Nullable String marker;

    /// @param word the part's own `type`
    void type(String word) {
        type = word;
    }

    /// Reads the member at hand if it is one of those. Else nothing was read.
    boolean member(JsonCursor in) {
        switch (in.name()) {
            case "source" -> object(in);
            case "title", "filename" -> fileName = in.string();
            case "image_url", "url" -> place(in);
            case "file_data" -> {
                if (in.isObject()) {
                    holder("file", in);
                } else {
                    place(in);
                }
            }
            case "file", "input_audio" -> object(in);
            case "inlineData", "inline_data", "fileData" -> holder("file", in);
            case "image", "document", "video", "audio" -> holder(in.name(), in);
            case "cache_control", "cachePoint" -> marker(in);
            default -> {
                return false;
            }
        }
        return true;
    }

    /// A part that is known by the name of its only member.
    private void holder(String word, JsonCursor in) {
        if (in.isObject()) {
            type = word;
        }
        object(in);
    }

    private void object(JsonCursor in) {
        if (!in.enterObject()) {
            return;
        }
        while (in.nextMember()) {
            switch (in.name()) {
                case "media_type", "mimeType", "mime_type" -> mimeType = in.string();
                case "filename", "displayName", "name" -> fileName = in.string();
                case "url", "file_data" -> place(in);
                case "format" -> format = in.string();
                default -> in.skip();
            }
        }
    }

    private @Nullable String mimeType() {
        if (mimeType != null || format == null) {
            return mimeType;
        }
        return (type.equals("image") ? "image/" : type.contains("audio") ? "audio/" : "application/") + format;
    }

    /// A URL, perhaps one that holds the content itself.
    private void place(JsonCursor in) {
        if (in.isObject()) {
            object(in);
            return;
        }
        String start = in.beginning(BEGINNING_BYTES);
        if (start != null && start.startsWith("data:")) {
            int end = start.indexOf(';');
            mimeType = end > 5 ? start.substring(5, end) : mimeType;
        }
    }

    private void marker(JsonCursor in) {
        if (!in.enterObject()) {
            return;
        }
        String word = "";
        String lifetime = "";
        while (in.nextMember()) {
            switch (in.name()) {
                case "type" -> word = orEmpty(in.string());
                case "ttl" -> lifetime = orEmpty(in.string());
                default -> in.skip();
            }
        }
        marker = lifetime.isEmpty() ? word : word + " " + lifetime;
    }

    private static String orEmpty(@Nullable String word) {
        return word == null ? "" : word;
    }

    List<CallRequest.Part> parts() {
        if (type.isEmpty() && marker == null) {
            return List.of();
        }
        List<CallRequest.Part> parts = new ArrayList<>(2);
        String declared = mimeType();
        boolean isImage = declared != null && declared.toLowerCase(Locale.ROOT).startsWith("image/");
        switch (type) {
            case "image", "image_url", "input_image" -> parts.add(CallRequest.Part.image(type, declared));
            case "document", "file", "input_file", "input_audio", "audio", "video", "container_upload" ->
                parts.add(
                        isImage
                                ? CallRequest.Part.image(type, declared)
                                : CallRequest.Part.file(type, declared, fileName));
            default -> {}
        }
        if (marker != null) {
            parts.add(CallRequest.Part.cacheMarker(marker));
        }
        return parts;
    }
}
