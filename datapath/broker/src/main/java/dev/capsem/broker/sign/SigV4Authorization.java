package dev.capsem.broker.sign;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/// The `Authorization` header of AWS Signature Version 4, read.
///
/// @param keyId which key signed it; no secret
/// @param scope date, region and service, with slashes between and `aws4_request` at the end
/// @param signedHeaders in lower case, in their order
public record SigV4Authorization(String keyId, String scope, List<String> signedHeaders, String signature) {
    static final String ALGORITHM = "AWS4-HMAC-SHA256";

    private static final int TEXT_CHARS_MAX = 8 * 1024;
    private static final Pattern SCOPE =
            Pattern.compile("\\d{8}/[A-Za-z0-9_-]{1,64}/[A-Za-z0-9_.-]{1,64}/aws4_request");
    private static final Pattern KEY_ID = Pattern.compile("[A-Za-z0-9_-]{1,256}");
    private static final Pattern HEADER = Pattern.compile("[!#$%&'*+.^_`|~0-9a-z-]+");
    private static final Pattern SIGNATURE = Pattern.compile("[0-9a-f]{64}");

    public SigV4Authorization {
        signedHeaders = List.copyOf(signedHeaders);
    }

    /// Whether the text claims to be one.
    public static boolean isOne(String text) {
        return text.startsWith(ALGORITHM + " ");
    }

    /// Empty if it is none, or not one that every reader would read alike.
    public static Optional<SigV4Authorization> parse(String text) {
        if (!isOne(text) || text.length() > TEXT_CHARS_MAX) {
            return Optional.empty();
        }
        Map<String, String> parts = new HashMap<>();
        for (String part : text.substring(ALGORITHM.length()).split(",", -1)) {
            int equals = part.indexOf('=');
            if (equals < 0
                    || parts.put(
                                    part.substring(0, equals).strip(),
                                    part.substring(equals + 1).strip())
                            != null) {
                return Optional.empty();
            }
        }
        String credential = parts.getOrDefault("Credential", "");
        int slash = credential.indexOf('/');
        String keyId = slash < 0 ? "" : credential.substring(0, slash);
        String scope = credential.substring(slash + 1);
        List<String> headers =
                Arrays.asList(parts.getOrDefault("SignedHeaders", "").split(";", -1));
        String signature = parts.getOrDefault("Signature", "");
        boolean isValid = parts.size() == 3
                && KEY_ID.matcher(keyId).matches()
                && SCOPE.matcher(scope).matches()
                && headers.stream().allMatch(name -> HEADER.matcher(name).matches())
                && headers.contains("host")
                && SIGNATURE.matcher(signature).matches();
        return isValid ? Optional.of(new SigV4Authorization(keyId, scope, headers, signature)) : Optional.empty();
    }

    /// The same with another key and signature, as a header has it.
    public String text(String otherKeyId, String otherSignature) {
        return ALGORITHM + " Credential=" + otherKeyId + "/" + scope + ", SignedHeaders="
                + String.join(";", signedHeaders) + ", Signature=" + otherSignature;
    }

    String date() {
        return scope.substring(0, scope.indexOf('/'));
    }

    String region() {
        return scope.split("/", -1)[1];
    }

    String service() {
        return scope.split("/", -1)[2];
    }
}
