package dev.capsem.llm;

import java.nio.charset.StandardCharsets;
import java.util.List;

/// Finds out whether a request only refers to a part of what the model will read: pictures and files elsewhere,
/// earlier turns, results of the provider's own tools. Looks at whole JSON strings, so that text which speaks of
/// such things is not taken for one.
final class OutsideContent {
    /// What such strings begin with, in any of the formats.
    private static final List<String> BEGINNINGS = List.of(
            "web_search",
            "web_fetch",
            "file_search",
            "code_interpreter",
            "code_execution",
            "computer_use",
            "google_search",
            "googleSearch");

    private static final List<String> NAMES = List.of(
            "previous_response_id",
            "conversation",
            "prompt",
            "file_id",
            "file_url",
            "image_url",
            "url",
            "container",
            "cachedContent",
            "cached_content",
            "fileData",
            "file_data",
            "fileUri",
            "file_uri",
            "s3Location",
            "codeExecution",
            "url_context",
            "urlContext",
            "mcp_servers",
            "mcp");

    /// No name above is longer; of longer strings only the beginning is looked at.
    private static final int NAME_BYTES_MAX = 32;

    private OutsideContent() {}

    static boolean isIn(byte[] body) {
        int at = 0;
        while (at < body.length) {
            if (body[at] != '"') {
                at++;
                continue;
            }
            int end = end(body, at + 1);
            if (end < 0 || isReference(body, at + 1, end)) {
                return true;
            }
            at = end + 1;
        }
        return false;
    }

    /// Where a string ends; negative if it hides a letter behind an escape, or has no end.
    private static int end(byte[] body, int from) {
        int at = from;
        while (at < body.length && body[at] != '"') {
            if (body[at] == '\\') {
                if (hidesALetter(body, at)) {
                    return -1;
                }
                at++;
            }
            at++;
        }
        return at < body.length ? at : -1;
    }

    /// No serializer escapes a letter of ASCII or an underscore; whoever does may hide a name.
    private static boolean hidesALetter(byte[] body, int at) {
        return at + 4 < body.length
                && body[at + 1] == 'u'
                && body[at + 2] == '0'
                && body[at + 3] == '0'
                && body[at + 4] >= '4'
                && body[at + 4] <= '7';
    }

    private static boolean isReference(byte[] body, int from, int to) {
        String text = new String(body, from, Math.min(to - from, NAME_BYTES_MAX), StandardCharsets.ISO_8859_1);
        return NAMES.contains(text) || BEGINNINGS.stream().anyMatch(text::startsWith);
    }
}
