package dev.capsem.mcp.pin;

import java.text.Normalizer;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// What words of a tool can be up to. Found by a few telling turns of phrase: whoever phrases it otherwise gets past
/// them, which is why tools are pinned and judged as well.
///
/// Every repetition in the patterns is bounded: the texts are a stranger's, and may be long.
enum PoisonPattern {
    ORDERS(
            "orders the model about",
            "</?(important|system|instructions?|secret|hidden|assistant)>",
            "(ignore|disregard|forget|override) (all |any )?(of )?(the |your |my )?(previous|prior|above|earlier|other)"
                    + " (instructions|messages|rules|tools|prompts)",
            "(do not|don't|never|must not|should not|avoid) (tell|telling|mention|mentioning|inform|informing|reveal"
                    + "|revealing|notify|notifying|alert|disclose)[^.]{0,60}\\b(user|human|person|anyone|them)\\b",
            "without (telling|informing|notifying|asking|alerting|the knowledge of) (the |any )?(user|human|person)",
            "\\b(before|whenever|instead of|prior to|when) (using|calling|invoking|running|you (use|call|invoke|run))"
                    + "[^.]{0,60}\\b(must|always|first|read|send|forward|also call)\\b[^.]{0,80}\\b(file|tool|contents?)\\b"),
    SECRETS(
            "speaks of secrets",
            "(~|/root|/home/[a-z0-9_]{1,32}|\\$home)/\\.[a-z]",
            "\\bid_(rsa|ed25519|ecdsa)\\b",
            "/etc/(passwd|shadow)\\b",
            "\\.(ssh|aws|gnupg|kube|netrc)\\b",
            // Not "do not include passwords", which honest tools say; but "do not include anything but passwords".
            "(?<!(not|never|n't|avoid|cannot) )" + PoisonPattern.HANDS_OVER + "[^.]{0,80}" + PoisonPattern.PRIVATE,
            "(not|never|n't|avoid|cannot) " + PoisonPattern.HANDS_OVER
                    + "[^.]{0,60}\\b(but|except|unless|only|other than|besides)\\b[^.]{0,60}" + PoisonPattern.PRIVATE),
    ENCODED("carries encoded text", "[a-z0-9+/]{160}", "(%[0-9a-f]{2}){40}", "(\\\\u[0-9a-f]{4}){20}"),
    OUT_OF_SIGHT("pushes text out of sight", "[ \\t\\u00a0\\u3000]{100}", "(\\r?\\n[ \\t]{0,8}){25}");

    private static final String HANDS_OVER =
            "\\b(send|pass|include|put|attach|append|forward|upload|copy|add|provide|fill)\\b";

    /// One password is a field of many forms; whose it is, or all of them, is another matter.
    private static final String PRIVATE = "\\b(system prompt|(conversation|chat|message) history"
            + "|(entire|whole|full|previous) (conversation|chat)|private keys?|environment variables|secrets|credentials"
            + "|passwords|(the|your|their|my|any|user'?s|saved|stored|master|root|admin) password)\\b";

    private static final int SHOWN_MAX = 80;

    /// Letters of other scripts that look like Latin ones.
    private static final Map<Integer, Character> LOOKALIKES = lookalikes(
            "аеорсухіјѕһԁԛԝѡкмтвнгАВЕКМНОРСТУХІЈЅαονρτυικχβγωηΑΒΕΖΗΙΚΜΝΟΡΤΥΧıɡ",
            "aeopcyxijshdqwwkmtbhrABEKMHOPCTYXIJSaovptuikxbywnABEZHIKMNOPTYXig");

    private final String meaning;
    private final Pattern pattern;

    PoisonPattern(String meaning, String... patterns) {
        this.meaning = meaning;
        this.pattern = Pattern.compile("(" + String.join(")|(", patterns) + ")");
    }

    String meaning() {
        return meaning;
    }

    /// The words that give it away.
    Optional<String> in(String text) {
        // What looks the same to a model counts as the same; layout is all that the last ploy is about.
        String words = skeleton(text).toLowerCase(Locale.ROOT);
        String searched = this == OUT_OF_SIGHT ? words : words.replaceAll("\\s+", " ");
        Matcher matcher = pattern.matcher(searched);
        if (!matcher.find()) {
            return Optional.empty();
        }
        String found = matcher.group().strip();
        return Optional.of(found.length() > SHOWN_MAX ? found.substring(0, SHOWN_MAX) + "…" : found);
    }

    /// The same for texts that look the same.
    static String skeleton(String text) {
        StringBuilder out = new StringBuilder(text.length());
        Normalizer.normalize(text, Normalizer.Form.NFKC).codePoints().forEach(character -> {
            Character latin = LOOKALIKES.get(character);
            if (latin != null) {
                out.append(latin.charValue());
            } else {
                out.appendCodePoint(character);
            }
        });
        return out.toString();
    }

    /// The same for names that a person reads as one: also in another case, with a digit for a letter.
    static String look(String name) {
        return skeleton(name)
                .toLowerCase(Locale.ROOT)
                .replace('i', 'l')
                .replace('1', 'l')
                .replace('|', 'l')
                .replace('0', 'o');
    }

    private static Map<Integer, Character> lookalikes(String strange, String latin) {
        int[] from = strange.codePoints().toArray();
        if (from.length != latin.length()) {
            throw new IllegalStateException("the tables differ: " + from.length + " and " + latin.length());
        }
        Map<Integer, Character> map = new HashMap<>();
        for (int i = 0; i < from.length; i++) {
            map.put(from[i], latin.charAt(i));
        }
        return Map.copyOf(map);
    }
}
