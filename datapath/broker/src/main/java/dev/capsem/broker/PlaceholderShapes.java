package dev.capsem.broker;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;

/// Makes stand-ins that programs take for the real thing: the same prefix, a like length, a fitting alphabet.
/// Each holds at least 128 random bits, so that no other text is ever taken for one.
public final class PlaceholderShapes {
    private static final int RANDOM_BITS_MIN = 128;
    private static final int LENGTH_MAX = 256;
    private static final int UNSEEN_LENGTH = 40;
    private static final String LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    private static final String BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    private static final String HEX = "0123456789abcdef";
    private static final int JWT_SIGNATURE_BYTES = 32;

    /// What well-known services put before their keys; the longest that fits comes first.
    private static final List<String> PREFIXES = List.of(
            "sk-ant-api03-",
            "sk-ant-oat01-",
            "sk-ant-",
            "sk-proj-",
            "sk-or-v1-",
            "sk-",
            "ghp_",
            "gho_",
            "ghu_",
            "ghs_",
            "ghr_",
            "github_pat_",
            "glpat-",
            "npm_",
            "xoxb-",
            "xoxp-",
            "xoxa-",
            "xoxs-",
            "AIza",
            "AKIA",
            "ASIA",
            "hf_",
            "pypi-");

    private PlaceholderShapes() {}

    /// @param shape the prefix that the profile wants instead of the value's own
    public static Placeholder make(SecretValue value, Optional<String> shape, RandomGenerator random) {
        return like(new String(value.reveal(), StandardCharsets.ISO_8859_1), shape, random);
    }

    /// For a grant whose source cannot be read now.
    public static Placeholder makeUnseen(Optional<String> shape, RandomGenerator random) {
        return like("-".repeat(UNSEEN_LENGTH), shape, random);
    }

    private static Placeholder like(String text, Optional<String> shape, RandomGenerator random) {
        if (shape.map(wanted -> wanted.equals("eyJ")).orElse(isJwt(text))) {
            return new Placeholder(jwt(random));
        }
        String prefix = shape.orElseGet(() -> prefixOf(text));
        String alphabet = alphabet(prefix, text);
        int bitsPerChar = 31 - Integer.numberOfLeadingZeros(alphabet.length());
        int least = (RANDOM_BITS_MIN + bitsPerChar - 1) / bitsPerChar;
        int length = Math.max(least, Math.min(text.length(), LENGTH_MAX) - prefix.length());
        StringBuilder made = new StringBuilder(prefix);
        for (int i = 0; i < length; i++) {
            made.append(alphabet.charAt(random.nextInt(alphabet.length())));
        }
        return new Placeholder(made.toString());
    }

    private static String prefixOf(String text) {
        return PREFIXES.stream().filter(text::startsWith).findFirst().orElse("");
    }

    private static String alphabet(String prefix, String text) {
        if (prefix.equals("AKIA") || prefix.equals("ASIA")) {
            return BASE32;
        }
        return prefix.isEmpty() && text.chars().allMatch(c -> HEX.indexOf(c) >= 0) ? HEX : LETTERS;
    }

    private static boolean isJwt(String text) {
        return text.startsWith("eyJ") && text.chars().filter(c -> c == '.').count() == 2;
    }

    /// Three parts that any reader of tokens can take apart. It names nobody, and its signature is random.
    private static String jwt(RandomGenerator random) {
        byte[] id = new byte[RANDOM_BITS_MIN / 8];
        byte[] signature = new byte[JWT_SIGNATURE_BYTES];
        random.nextBytes(id);
        random.nextBytes(signature);
        Base64.Encoder encoder = Base64.getUrlEncoder().withoutPadding();
        // 2100-01-01: a client that looks does not take it for expired.
        String claims = "{\"sub\":\"capsem\",\"jti\":\"" + encoder.encodeToString(id) + "\",\"exp\":4102444800}";
        return part(encoder, "{\"alg\":\"HS256\",\"typ\":\"JWT\"}") + "." + part(encoder, claims) + "."
                + encoder.encodeToString(signature);
    }

    private static String part(Base64.Encoder encoder, String json) {
        return encoder.encodeToString(json.getBytes(StandardCharsets.UTF_8));
    }
}
