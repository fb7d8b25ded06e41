package dev.capsem.network.record;

import dev.capsem.events.security.Headers;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Takes secrets out of what is stored.
public final class Redaction {
    static final String MASK = "***";

    private static final int HASH_CHARACTERS = 12;

    /// Kept as sent; every other header is kept as a hash, so that equal values can still be seen to be equal.
    private static final Set<String> PLAIN_HEADERS = Set.of(
            "accept",
            "content-encoding",
            "content-length",
            "content-type",
            "date",
            "host",
            "server",
            "transfer-encoding",
            "user-agent");

    private static final Pattern SECRET_NAME = Pattern.compile(
            "(?i).*(?:key|token|secret|passw|pwd|signature|credential|session|auth|assertion|cookie|jwt|otp).*"
                    + "|(?i)sig|code|pin|x-amz-.*");

    /// Shapes of credentials that are recognisable wherever they stand. Quantifiers are possessive: no backtracking on
    /// text that a guest chose.
    private static final Pattern SECRET_SHAPE = Pattern.compile(
            "\\bsk-[A-Za-z0-9_-]{12,}+" // OpenAI, Anthropic
                    + "|\\bAIza[A-Za-z0-9_-]{30,}+" // Google
                    + "|\\b(?:gh[pousr]_|github_pat_|glpat-|npm_|pypi-|hf_)[A-Za-z0-9_-]{16,}+"
                    + "|\\bxox[a-z]-[A-Za-z0-9-]{8,}+" // Slack
                    + "|\\b(?:AKIA|ASIA)[A-Z0-9]{16}+" // AWS
                    + "|\\beyJ[A-Za-z0-9_-]{4,}+\\.[A-Za-z0-9_-]{4,}+\\.[A-Za-z0-9_-]*+" // JWT
                    + "|(?i:\\b(?:bearer|basic)\\s++)[A-Za-z0-9._~+/=-]{8,}+"
                    + "|-----BEGIN [A-Z ]*+PRIVATE KEY-----[A-Za-z0-9+/=\\s]*+");

    private static final Pattern JSON_MEMBER =
            Pattern.compile("\"([A-Za-z0-9_.-]{1,64}+)\"(\\s*+:\\s*+)\"((?:[^\"\\\\]|\\\\.)*+)\"?");

    private static final Pattern FORM_FIELD = Pattern.compile("(^|&)([A-Za-z0-9_.%-]{1,64}+)=([^&\\s]*+)");

    private Redaction() {}

    /// One line per field.
    public static Optional<String> headers(Headers headers) {
        if (headers.fields().isEmpty()) {
            return Optional.empty();
        }
        StringBuilder out = new StringBuilder();
        for (Headers.Field field : headers.fields()) {
            out.append(field.name()).append(": ");
            out.append(PLAIN_HEADERS.contains(field.name()) ? mask(field.value()) : "hash:" + hash(field.value()));
            out.append('\n');
        }
        return Optional.of(out.toString());
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

    public static String mask(String text) {
        return SECRET_SHAPE.matcher(text).replaceAll(MASK);
    }

    private static String fields(String text) {
        return FORM_FIELD.matcher(text).replaceAll(field -> {
            String value = isSecretName(field.group(2)) && !field.group(3).isEmpty() ? MASK : field.group(3);
            return Matcher.quoteReplacement(field.group(1) + field.group(2) + "=" + value);
        });
    }

    private static String members(String text) {
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
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(value.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest).substring(0, HASH_CHARACTERS);
        } catch (NoSuchAlgorithmException missing) {
            throw new IllegalStateException("this JDK has no SHA-256", missing);
        }
    }
}
