package dev.capsem.profiles.secret;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// A text in which secrets are named, not written: `Bearer ${secret:github-token}`.
public record SecretTemplate(List<Piece> pieces) {
    /// A stretch of the text.
    public sealed interface Piece {
        record Words(String text) implements Piece {}

        record Reference(SecretRef ref) implements Piece {}
    }

    /// The result of parsing.
    public sealed interface Parsed {
        record Ok(SecretTemplate template) implements Parsed {}

        record Refused(String reason) implements Parsed {}
    }

    public SecretTemplate {
        pieces = List.copyOf(pieces);
    }

    public static SecretTemplate of(SecretRef ref) {
        return new SecretTemplate(List.of(new Piece.Reference(ref)));
    }

    public static SecretTemplate words(String text) {
        return new SecretTemplate(text.isEmpty() ? List.of() : List.of(new Piece.Words(text)));
    }

    public static Parsed parse(String text) {
        List<Piece> pieces = new ArrayList<>();
        int from = 0;
        for (int open = text.indexOf("${"); open >= 0; open = text.indexOf("${", from)) {
            int close = text.indexOf('}', open);
            if (close < 0) {
                return new Parsed.Refused("${ has no closing }");
            }
            Optional<SecretRef> ref = reference(text.substring(open + 2, close));
            if (ref.isEmpty()) {
                return new Parsed.Refused("a reference is written ${secret:NAME}, its name of " + SecretName.FORM);
            }
            addWords(pieces, text.substring(from, open));
            pieces.add(new Piece.Reference(ref.get()));
            from = close + 1;
        }
        addWords(pieces, text.substring(from));
        return new Parsed.Ok(new SecretTemplate(pieces));
    }

    private static void addWords(List<Piece> pieces, String text) {
        if (!text.isEmpty()) {
            pieces.add(new Piece.Words(text));
        }
    }

    private static Optional<SecretRef> reference(String inner) {
        String[] parts = inner.split(":", 3);
        if (parts.length == 2 && parts[0].equals("secret") && SecretName.isValid(parts[1])) {
            return Optional.of(new SecretRef.Stored(new SecretName(parts[1])));
        }
        // The host's environment is nobody's business: what other clients take from there is a secret here.
        if (parts.length == 2 && parts[0].equals("env") && SecretName.isValid(parts[1].toLowerCase(Locale.ROOT))) {
            return Optional.of(new SecretRef.Stored(new SecretName(parts[1].toLowerCase(Locale.ROOT))));
        }
        if (parts.length == 3 && parts[0].equals("host")) {
            return Optional.of(SecretRef.OfHostTool.parse(parts[1], parts[2]));
        }
        return Optional.empty();
    }

    public List<SecretRef> references() {
        List<SecretRef> references = new ArrayList<>();
        for (Piece piece : pieces) {
            if (piece instanceof Piece.Reference reference) {
                references.add(reference.ref());
            }
        }
        return references;
    }

    public boolean isPlain() {
        return references().isEmpty();
    }

    /// The text with its references as they are written.
    public String text() {
        StringBuilder text = new StringBuilder();
        for (Piece piece : pieces) {
            text.append(
                    switch (piece) {
                        case Piece.Words words -> words.text();
                        case Piece.Reference reference -> reference.ref().text();
                    });
        }
        return text.toString();
    }

    /// The text with every secret in it; empty if one cannot be found.
    public Optional<Secret> resolve(SecretSource secrets) {
        StringBuilder text = new StringBuilder();
        for (Piece piece : pieces) {
            switch (piece) {
                case Piece.Words words -> text.append(words.text());
                case Piece.Reference reference -> {
                    Optional<Secret> secret = secrets.find(reference.ref());
                    if (secret.isEmpty()) {
                        return Optional.empty();
                    }
                    text.append(secret.get().reveal());
                }
            }
        }
        return Optional.of(new Secret(text.toString()));
    }

    @Override
    public String toString() {
        return text();
    }
}
