package dev.capsem.profiles.io;

import dev.capsem.profiles.vocabulary.ListText;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/// The lists that stand beside a profile's file, as far as its rules ask for them.
///
/// @param texts by name; one that is missing, too large or no text is not there
record ListFiles(SortedMap<String, String> texts) {
    static ListFiles beside(Path profile, String text) throws IOException {
        SortedMap<String, String> texts = new TreeMap<>();
        for (String name : ListText.names(text)) {
            Path file = profile.resolveSibling(name);
            if (Files.isRegularFile(file) && Files.size(file) <= ListText.BYTES_MAX) {
                texts.put(name, Files.readString(file, StandardCharsets.UTF_8));
            }
        }
        return new ListFiles(texts);
    }

    /// With those that the payload's rules ask for and it pins, if they are not here as pinned. A list never takes the
    /// place of a payload or its signature.
    ListFiles with(String payload, Map<String, String> pins, UnaryOperator<String> fetch) {
        SortedMap<String, String> all = new TreeMap<>(texts);
        for (String name : ListText.names(payload)) {
            boolean isOther = name.endsWith(".toml") || name.endsWith(".minisig") || !pins.containsKey(name);
            boolean isHere = Optional.ofNullable(texts.get(name))
                    .filter(text -> digest(text).equals(pins.get(name)))
                    .isPresent();
            if (!isOther && !isHere) {
                all.put(name, fetch.apply(name));
            }
        }
        return new ListFiles(all);
    }

    Map<String, List<String>> entries() {
        Map<String, List<String>> entries = new TreeMap<>();
        texts.forEach((name, text) -> ListText.entries(text).ifPresent(all -> entries.put(name, all)));
        return entries;
    }

    /// The first whose text is not the one that the signed payload names by its digest.
    ///
    /// @param pins `sha256:<hex>` by name
    Optional<String> firstUnsigned(Map<String, String> pins) {
        return texts.entrySet().stream()
                .filter(list -> !digest(list.getValue()).equals(pins.get(list.getKey())))
                .map(list -> "the list " + list.getKey() + " is not the one that was signed. If it is right, write \""
                        + list.getKey() + "\" = \"" + digest(list.getValue())
                        + "\" under [security.lists] and sign the payload again.")
                .findFirst();
    }

    static String digest(String text) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return "sha256:" + HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
