package dev.capsem.policy.ir;

import dev.capsem.policy.diagnostic.Code;
import dev.capsem.policy.diagnostic.CompilationError;
import dev.capsem.policy.grammar.CapabilityParser;
import dev.capsem.source.json.JsonValue;
import dev.capsem.source.json.JsonWriter;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/// Ties an artifact to the manifest it was compiled from.
public record ArtifactProvenance(String manifestHash) {
    public static final String CANONICALIZATION = "RFC8785";

    public static ArtifactProvenance of(JsonValue.Members projection) {
        return new ArtifactProvenance("sha256:" + sha256(canonicalize(projection)));
    }

    public static String canonicalize(JsonValue value) {
        try {
            return JsonWriter.canonical(value);
        } catch (JsonWriter.UnsupportedNumber e) {
            throw new CompilationError(Code.CANONICALIZATION_UNSUPPORTED, String.valueOf(e.getMessage()));
        }
    }

    public JsonValue.Members toJson() {
        return JsonValue.members()
                .put("manifestHash", manifestHash)
                .put("grammarVersion", CapabilityParser.GRAMMAR_VERSION)
                .put("canonicalization", CANONICALIZATION)
                .build();
    }

    private static String sha256(String text) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java runtime has SHA-256", e);
        }
    }
}
