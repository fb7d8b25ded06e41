package dev.capsem.broker.sign;

import dev.capsem.events.security.Headers;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/// AWS Signature Version 4 of a request's head, in the form that stands in `Authorization`.
///
/// @param host as the `Host` header has it
/// @param payloadHash what stands for the body: its hash, or one of the words for none
public record SigV4(
        String method, String host, String path, Optional<String> query, Headers headers, String payloadHash) {
    private static final HexFormat HEX = HexFormat.of();
    private static final String HMAC = "HmacSHA256";

    /// @param key the secret access key
    public String signature(byte[] key, SigV4Authorization asked) {
        String time =
                headers.value("x-amz-date").or(() -> headers.value("date")).orElse("");
        String toSign = SigV4Authorization.ALGORITHM + "\n" + time + "\n" + asked.scope() + "\n"
                + hash(canonical(asked).getBytes(StandardCharsets.UTF_8));
        byte[] first = "AWS4".getBytes(StandardCharsets.US_ASCII);
        byte[] seed = new byte[first.length + key.length];
        System.arraycopy(first, 0, seed, 0, first.length);
        System.arraycopy(key, 0, seed, first.length, key.length);
        byte[] derived = seed;
        for (String part : List.of(asked.date(), asked.region(), asked.service(), "aws4_request")) {
            derived = hmac(derived, part);
        }
        return HEX.formatHex(hmac(derived, toSign));
    }

    /// Whether this key made the signature that the request carries.
    public boolean isSignedWith(byte[] key, SigV4Authorization asked) {
        return MessageDigest.isEqual(
                signature(key, asked).getBytes(StandardCharsets.US_ASCII),
                asked.signature().getBytes(StandardCharsets.US_ASCII));
    }

    public static String hash(byte[] bytes) {
        try {
            return HEX.formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException("every Java has SHA-256", impossible);
        }
    }

    private String canonical(SigV4Authorization asked) {
        StringBuilder text = new StringBuilder(method).append('\n');
        // S3 takes the path as it is; all others escape it once more.
        text.append(asked.service().equals("s3") ? path : escapedPath()).append('\n');
        text.append(query.map(SigV4::sorted).orElse("")).append('\n');
        for (String name : asked.signedHeaders()) {
            text.append(name).append(':').append(value(name)).append('\n');
        }
        return text.append('\n')
                .append(String.join(";", asked.signedHeaders()))
                .append('\n')
                .append(payloadHash)
                .toString();
    }

    private String value(String name) {
        if (name.equals("host")) {
            return host;
        }
        List<String> values = new ArrayList<>();
        for (Headers.Field field : headers.fields()) {
            if (field.name().equals(name)) {
                values.add(field.value().strip().replaceAll(" +", " "));
            }
        }
        return String.join(",", values);
    }

    private String escapedPath() {
        StringBuilder escaped = new StringBuilder();
        for (byte b : path.getBytes(StandardCharsets.UTF_8)) {
            boolean isPlain = (b >= 'a' && b <= 'z')
                    || (b >= 'A' && b <= 'Z')
                    || (b >= '0' && b <= '9')
                    || "-._~/".indexOf(b) >= 0;
            if (isPlain) {
                escaped.append((char) b);
            } else {
                escaped.append('%').append(HexFormat.of().withUpperCase().toHexDigits(b));
            }
        }
        return escaped.toString();
    }

    private static String sorted(String query) {
        List<String> parameters = new ArrayList<>();
        for (String parameter : query.split("&", -1)) {
            if (!parameter.isEmpty()) {
                parameters.add(parameter.contains("=") ? parameter : parameter + "=");
            }
        }
        Collections.sort(parameters);
        return String.join("&", parameters);
    }

    private static byte[] hmac(byte[] key, String text) {
        try {
            Mac mac = Mac.getInstance(HMAC);
            mac.init(new SecretKeySpec(key, HMAC));
            return mac.doFinal(text.getBytes(StandardCharsets.UTF_8));
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException("every Java has " + HMAC, impossible);
        }
    }

    /// What it signs may be secret.
    @Override
    public String toString() {
        return "SigV4[" + method + " " + host + "]";
    }
}
