package dev.capsem.events.security;

import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// In which charset a body is written: as a byte order mark says, or else its content type.
public sealed interface BodyCharset {
    record Known(Charset charset) implements BodyCharset {}

    /// @param reason in words of HTTP
    record Unknown(String reason) implements BodyCharset {}

    Pattern PARAMETER = Pattern.compile("(?i);\\s*charset\\s*=\\s*(?:\"([^\"]*)\"|'([^']*)'|([^;\\s]*))");

    /// Said of bytes that are no text; whoever reads them as text takes them as they are.
    List<String> NO_CHARSET = List.of("", "binary", "none");

    /// With one of these declared, or none, the byte order mark decides.
    List<String> MARKED = List.of("UTF-8", "US-ASCII", "UTF-16", "UTF-32");

    int NAME_SHOWN_MAX = 40;

    static BodyCharset of(byte[] content, Optional<String> contentType) {
        BodyCharset declared = declared(contentType);
        Optional<Charset> mark = mark(content);
        if (mark.isEmpty() || !(declared instanceof Known(Charset charset))) {
            return declared;
        }
        return charset.equals(mark.get()) || MARKED.contains(charset.name())
                ? new Known(mark.get())
                : new Unknown("its byte order mark says another charset than its content type");
    }

    /// Two different charsets are one unknown one: nobody can tell which of them a reader takes.
    static BodyCharset declared(Optional<String> contentType) {
        List<String> names = new ArrayList<>();
        Matcher matcher = PARAMETER.matcher(contentType.orElse(""));
        while (matcher.find()) {
            for (int group = 1; group <= matcher.groupCount(); group++) {
                Optional.ofNullable(matcher.group(group))
                        .map(name -> name.strip().toLowerCase(Locale.ROOT))
                        .filter(name -> !NO_CHARSET.contains(name) && !names.contains(name))
                        .ifPresent(names::add);
            }
        }
        if (names.size() > 1) {
            return new Unknown("its content type names more than one charset");
        }
        if (names.isEmpty()) {
            return new Known(StandardCharsets.UTF_8);
        }
        return charset(names.getFirst())
                .<BodyCharset>map(Known::new)
                .orElseGet(() -> new Unknown("its charset is not known here: " + shown(names.getFirst())));
    }

    private static Optional<Charset> charset(String name) {
        try {
            return Optional.of(Charset.forName(name));
        } catch (IllegalArgumentException unknown) {
            return Optional.empty();
        }
    }

    private static String shown(String name) {
        String shown = name.substring(0, Math.min(name.length(), NAME_SHOWN_MAX));
        return shown.replaceAll("[^a-z0-9._:+-]", "?");
    }

    private static Optional<Charset> mark(byte[] content) {
        int first = content.length < 2 ? 0 : ((content[0] & 0xff) << 8) | (content[1] & 0xff);
        int second = content.length < 4 ? -1 : ((content[2] & 0xff) << 8) | (content[3] & 0xff);
        if (first == 0xfffe) {
            return Optional.of(second == 0 ? Charset.forName("UTF-32LE") : StandardCharsets.UTF_16LE);
        }
        if (first == 0xfeff) {
            return Optional.of(StandardCharsets.UTF_16BE);
        }
        return first == 0 && second == 0xfeff ? Optional.of(Charset.forName("UTF-32BE")) : Optional.empty();
    }
}
