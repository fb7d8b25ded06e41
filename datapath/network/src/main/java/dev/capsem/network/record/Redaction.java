package dev.capsem.network.record;

import dev.capsem.events.security.Headers;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Takes secrets out of what is stored.
public final class Redaction {
    static final String MASK = "***";

    private static final int HASH_CHARACTERS = 12;

    /// Room for an ordinary field: enough that the text of a usual head is not copied as it grows.
    private static final int LINE_CHARACTERS = 48;

    /// One for all, each use under its lock: a header takes less time to hash than a digest to make, and one thread at
    /// a time builds rows.
    private static final MessageDigest SHA_256 = sha256();

    /// Kept as sent; every other header is kept as a hash, so that equal values can still be seen to be equal.
    private static final Set<String> PLAIN_HEADERS = Set.of(
            "accept",
            "accept-encoding",
            "accept-language",
            "accept-ranges",
            "age",
            "allow",
            "alt-svc",
            "anthropic-beta",
            "anthropic-version",
            "cache-control",
            "connection",
            "content-encoding",
            "content-language",
            "content-length",
            "content-type",
            "date",
            "expect",
            "expires",
            "host",
            "keep-alive",
            "last-modified",
            "openai-beta",
            "openai-version",
            "pragma",
            "priority",
            "range",
            "retry-after",
            "server",
            "te",
            "trailer",
            "transfer-encoding",
            "upgrade",
            "user-agent",
            "vary",
            "via",
            "x-goog-api-client");

    /// Families of such headers: what a client library says of itself, and how much a server still allows.
    private static final List<String> PLAIN_FAMILIES =
            List.of("x-stainless-", "sec-fetch-", "x-ratelimit-", "anthropic-ratelimit-");

    private static final Pattern SECRET_NAME = Pattern.compile(
            "(?i).*(?:key|token|secret|passw|pwd|signature|credential|session|auth|assertion|cookie|jwt|otp).*"
                    + "|(?i)sig|code|pin|x-amz-.*");

    /// Shapes of credentials that are recognisable wherever a word begins. Quantifiers are possessive: no backtracking
    /// on text that a guest chose.
    private static final Pattern SECRET_SHAPE = Pattern.compile(
            "sk-[A-Za-z0-9_-]{12,}+" // OpenAI, Anthropic
                    + "|AIza[A-Za-z0-9_-]{30,}+" // Google
                    + "|(?:gh[pousr]_|github_pat_|glpat-|npm_|pypi-|hf_)[A-Za-z0-9_-]{16,}+"
                    + "|xox[a-z]-[A-Za-z0-9-]{8,}+" // Slack
                    + "|(?:AKIA|ASIA)[A-Z0-9]{16}+" // AWS
                    + "|eyJ[A-Za-z0-9_-]{4,}+\\.[A-Za-z0-9_-]{4,}+\\.[A-Za-z0-9_-]*+" // JWT
                    + "|(?i:(?:bearer|basic)\\s++)[A-Za-z0-9._~+/=-]{8,}+"
                    + "|-----BEGIN (?:(?!PRIVATE)[A-Z]++ )*+PRIVATE KEY-----[A-Za-z0-9+/=\\s\\\\]*+");

    private static final Pattern JSON_MEMBER =
            Pattern.compile("\"([A-Za-z0-9_.-]{1,64}+)\"(\\s*+:\\s*+)\"((?:[^\"\\\\]|\\\\.)*+)\"?");

    private static final Pattern FORM_FIELD = Pattern.compile("(^|&)([A-Za-z0-9_.%-]{1,64}+)=([^&\\s]*+)");

    /// `TOKEN=x`, `--api-key=x`, `x-api-key: x`, `"password": "x"`, wherever in a command line.
    private static final Pattern ASSIGNED = Pattern.compile("(?<![A-Za-z0-9_.-])([A-Za-z0-9_.-]{1,64}+)"
            + "([\"']?+\\s{0,3}+[=:]\\s{0,3}+[\"']?+)((?i:(?:bearer|basic|token)\\s++)?+[^\\s'\"&;,]++)");

    /// `--token x`.
    private static final Pattern OPTION = Pattern.compile("(?<!\\S)(--[A-Za-z0-9-]{1,64}+)(\\s++)([^\\s-]\\S*+)");

    /// The password of `https://user:password@host`.
    private static final Pattern USER_INFORMATION = Pattern.compile("(://[^/\\s:@]{0,256}+)(:)([^/\\s@]++)(?=@)");

    private Redaction() {}

    /// One line per field.
    public static Optional<String> headers(Headers headers) {
        if (headers.fields().isEmpty()) {
            return Optional.empty();
        }
        StringBuilder out = new StringBuilder(headers.fields().size() * LINE_CHARACTERS);
        for (Headers.Field field : headers.fields()) {
            out.append(field.name()).append(": ");
            if (isPlain(field.name())) {
                out.append(mask(field.value()));
            } else {
                out.append("hash:").append(hash(field.value()));
            }
            out.append('\n');
        }
        return Optional.of(out.toString());
    }

    private static boolean isPlain(String name) {
        if (PLAIN_HEADERS.contains(name)) {
            return true;
        }
        for (String family : PLAIN_FAMILIES) {
            if (name.startsWith(family)) {
                return true;
            }
        }
        return false;
    }

    public static String query(String query) {
        return mask(fields(query));
    }

    /// @param text cut to its limit already
    public static String body(String text, Optional<String> contentType) {
        boolean isForm = contentType
                .map(type -> type.toLowerCase(Locale.ROOT).startsWith("application/x-www-form-urlencoded"))
                .orElse(false);
        return mask(members(isForm ? fields(text) : text));
    }

    /// A command line: what is named like a secret, and what looks like one.
    public static String command(String line) {
        String masked = named(OPTION, named(ASSIGNED, mask(line)));
        return USER_INFORMATION.matcher(masked).replaceAll("$1$2" + Matcher.quoteReplacement(MASK));
    }

    private static String named(Pattern pattern, String text) {
        return pattern.matcher(text).replaceAll(found -> {
            boolean isSecret = SECRET_NAME.matcher(found.group(1)).matches();
            return Matcher.quoteReplacement(isSecret ? found.group(1) + found.group(2) + MASK : found.group());
        });
    }

    public static String mask(String text) {
        int first = nextStart(text, 0);
        if (first < 0) {
            return text;
        }
        Matcher shape = SECRET_SHAPE.matcher(text);
        StringBuilder out = new StringBuilder();
        int kept = 0;
        for (int at = first; at >= 0; at = nextStart(text, Math.max(at + 1, kept))) {
            if (shape.region(at, text.length()).lookingAt()) {
                out.append(text, kept, at).append(MASK);
                kept = shape.end();
            }
        }
        return kept == 0 ? text : out.append(text, kept, text.length()).toString();
    }

    /// The next place where a secret may begin, or -1. Spares nearly every place the pattern: this runs over
    /// every preview.
    private static int nextStart(String text, int from) {
        for (int at = from; at < text.length() - 1; at++) {
            char first = text.charAt(at);
            boolean isBoundary = first == '-' || at == 0 || !isWord(text.charAt(at - 1));
            if (isBoundary && startsShape(first, text.charAt(at + 1))) {
                return at;
            }
        }
        return -1;
    }

    private static boolean startsShape(char first, char second) {
        return switch (first) {
            case 's' -> second == 'k';
            case 'A' -> second == 'I' || second == 'K' || second == 'S';
            case 'g' -> second == 'h' || second == 'i' || second == 'l';
            case 'n' -> second == 'p';
            case 'p' -> second == 'y';
            case 'h' -> second == 'f';
            case 'x' -> second == 'o';
            case 'e' -> second == 'y';
            case 'b', 'B' -> second == 'e' || second == 'E' || second == 'a' || second == 'A';
            case '-' -> second == '-';
            default -> false;
        };
    }

    private static boolean isWord(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    }

    private static String fields(String text) {
        return FORM_FIELD.matcher(text).replaceAll(field -> {
            String value = isSecretName(field.group(2)) && !field.group(3).isEmpty() ? MASK : field.group(3);
            return Matcher.quoteReplacement(field.group(1) + field.group(2) + "=" + value);
        });
    }

    private static String members(String text) {
        if (text.indexOf('"') < 0) {
            return text;
        }
        return JSON_MEMBER.matcher(text).replaceAll(member -> {
            String value = isSecretName(member.group(1)) && !member.group(3).isEmpty() ? MASK : member.group(3);
            return Matcher.quoteReplacement("\"" + member.group(1) + "\"" + member.group(2) + "\"" + value + "\"");
        });
    }

    /// Counts of tokens are the one harmless thing with such a name that is worth reading.
    private static boolean isSecretName(String name) {
        return SECRET_NAME.matcher(name).matches()
                && !name.toLowerCase(Locale.ROOT).endsWith("tokens");
    }

    private static String hash(String value) {
        byte[] digest;
        synchronized (SHA_256) {
            digest = SHA_256.digest(value.getBytes(StandardCharsets.UTF_8));
        }
        return HexFormat.of().formatHex(digest, 0, HASH_CHARACTERS / 2);
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException missing) {
            throw new IllegalStateException("this JDK has no SHA-256", missing);
        }
    }
}
