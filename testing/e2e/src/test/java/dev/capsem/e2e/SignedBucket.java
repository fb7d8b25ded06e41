package dev.capsem.e2e;

import dev.capsem.testkit.http.Exchange;
import dev.capsem.testkit.http.HttpOrigin;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/// An object store that keeps what is put there, if the signature (AWS Signature Version 4) is one of its only key. It
/// computes that by itself, from the words of the specification.
final class SignedBucket implements HttpOrigin.Handler {
    private static final Pattern AUTHORIZATION =
            Pattern.compile("AWS4-HMAC-SHA256 Credential=([^/]+)/(\\d{8})/([^/]+)/s3/"
                    + "aws4_request, *SignedHeaders=([a-z0-9;-]+), *Signature=([0-9a-f]{64})");

    private final String keyId;
    private final String key;
    private final Map<String, String> objects = new ConcurrentHashMap<>();

    SignedBucket(String keyId, String key) {
        this.keyId = keyId;
        this.key = key;
    }

    /// By path.
    Map<String, String> objects() {
        return Map.copyOf(objects);
    }

    @Override
    public void handle(Exchange exchange) throws IOException {
        byte[] body = exchange.bodyBytes();
        String said = exchange.header("x-amz-content-sha256").orElse("");
        boolean isThatBody = said.equals("UNSIGNED-PAYLOAD") || said.equals(World.sha256(body));
        if (isThatBody && isSigned(exchange, said)) {
            objects.put(exchange.path(), new String(body, StandardCharsets.UTF_8));
            exchange.reply(200, Map.of("etag", "\"1\""), new byte[0]);
        } else {
            exchange.reply(403, "application/xml", "<Error><Code>SignatureDoesNotMatch</Code></Error>\n");
        }
    }

    private boolean isSigned(Exchange exchange, String payload) {
        Matcher asked = AUTHORIZATION.matcher(exchange.header("authorization").orElse(""));
        if (!asked.matches() || !asked.group(1).equals(keyId)) {
            return false;
        }
        String date = asked.group(2);
        String region = asked.group(3);
        StringBuilder request = new StringBuilder(exchange.method() + "\n" + exchange.path() + "\n\n");
        List<String> names = List.of(asked.group(4).split(";", -1));
        for (String name : names) {
            request.append(name)
                    .append(':')
                    .append(exchange.header(name).orElse("").strip())
                    .append('\n');
        }
        request.append('\n').append(asked.group(4)).append('\n').append(payload);
        String toSign = "AWS4-HMAC-SHA256\n" + exchange.header("x-amz-date").orElse("") + "\n" + date + "/" + region
                + "/s3/aws4_request\n" + World.sha256(bytes(request.toString()));
        byte[] signing = hmac(hmac(hmac(hmac(bytes("AWS4" + key), date), region), "s3"), "aws4_request");
        return names.contains("host")
                && names.contains("x-amz-content-sha256")
                && HexFormat.of().formatHex(hmac(signing, toSign)).equals(asked.group(5));
    }

    private static byte[] hmac(byte[] secret, String text) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(secret, "HmacSHA256"));
            return mac.doFinal(bytes(text));
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
