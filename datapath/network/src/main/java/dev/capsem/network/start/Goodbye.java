package dev.capsem.network.start;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Set;

/// The answer to a client whose protocol is not carried, in that protocol's own form, so that its user gets to read it.
final class Goodbye {
    private static final String CARRIED = "only HTTP, HTTPS and WebSocket leave this sandbox";
    private static final String FOR_GIT = CARRIED
            + ". For git, take https: git config --global url.https://HOST/.insteadOf git@HOST: (with your host)";
    private static final Set<String> MAIL = Set.of("EHLO", "HELO", "LHLO", "MAIL", "RCPT");
    private static final Set<String> CHAT = Set.of("NICK", "USER", "CAP", "JOIN");

    /// SSH_MSG_DISCONNECT and its code for an end that the application wants (RFC 4253 §11.1).
    private static final int SSH_DISCONNECT = 1;

    private static final int SSH_BY_APPLICATION = 11;
    private static final int SSH_BLOCK_BYTES = 8;

    private Goodbye() {}

    /// @param line the first one, without its line feed
    /// @param isCutOff whether the connection ended before the line did
    static ConnectionStart.Unknown to(String line, boolean isCutOff) {
        String word = line.strip().split("[ \\r]", 2)[0].toUpperCase(Locale.ROOT);
        if (line.startsWith("SSH-")) {
            return unknown("SSH is not carried: " + FOR_GIT, ssh("Capsem: SSH is not carried: " + FOR_GIT));
        }
        if (MAIL.contains(word)) {
            return unknown("SMTP is not carried: " + CARRIED, "554 5.7.1 Capsem: " + CARRIED + "\r\n");
        }
        if (CHAT.contains(word)) {
            return unknown("IRC is not carried: " + CARRIED, "ERROR :Capsem: " + CARRIED + "\r\n");
        }
        if (isCutOff) {
            return unknown("the connection ended within its first line", "");
        }
        return unknown("the first line is no request of HTTP: " + CARRIED, "Capsem: " + CARRIED + "\r\n");
    }

    /// RESP, which clients of Redis speak, begins with an array.
    static ConnectionStart.Unknown toRedis() {
        return unknown("Redis is not carried: " + CARRIED, "-ERR Capsem: " + CARRIED + "\r\n");
    }

    private static ConnectionStart.Unknown unknown(String reason, String words) {
        return new ConnectionStart.Unknown(reason, words);
    }

    /// A version line and one packet, which is in clear text as long as no keys are agreed on (RFC 4253 §6).
    private static String ssh(String why) {
        byte[] text = why.getBytes(StandardCharsets.US_ASCII);
        int payload = 1 + 4 + 4 + text.length + 4;
        int padding = SSH_BLOCK_BYTES - (4 + 1 + payload) % SSH_BLOCK_BYTES;
        padding = padding < 4 ? padding + SSH_BLOCK_BYTES : padding;
        ByteBuffer packet = ByteBuffer.allocate(4 + 1 + payload + padding)
                .putInt(1 + payload + padding)
                .put((byte) padding)
                .put((byte) SSH_DISCONNECT)
                .putInt(SSH_BY_APPLICATION)
                .putInt(text.length)
                .put(text)
                .putInt(0);
        return "SSH-2.0-Capsem\r\n" + new String(packet.array(), StandardCharsets.ISO_8859_1);
    }
}
