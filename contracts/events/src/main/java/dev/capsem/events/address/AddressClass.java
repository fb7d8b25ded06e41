package dev.capsem.events.address;

import dev.capsem.events.vocabulary.WireNamed;
import java.net.InetAddress;
import java.util.Locale;

/// Where an address lies, as far as a sandbox is concerned. Everything but [#PUBLIC] is out of reach unless a rule
/// names it.
public enum AddressClass implements WireNamed {
    PUBLIC,
    /// RFC 1918, RFC 4193, and the carriers' 100.64/10.
    PRIVATE,
    LOOPBACK,
    LINK_LOCAL,
    /// Where clouds hand credentials to whoever asks.
    METADATA,
    UNSPECIFIED,
    /// Multicast, documentation, benchmarking, future use: nothing a sandbox has business with.
    RESERVED;

    private final String wireName = name().toLowerCase(Locale.ROOT);

    @Override
    public String wireName() {
        return wireName;
    }

    public static AddressClass of(InetAddress address) {
        byte[] bytes = address.getAddress();
        return bytes.length == 4 ? ofIpv4(bytes) : ofIpv6(bytes);
    }

    private static AddressClass ofIpv4(byte[] bytes) {
        int a = bytes[0] & 0xff;
        int b = bytes[1] & 0xff;
        int c = bytes[2] & 0xff;
        int d = bytes[3] & 0xff;
        if (a == 0) {
            return UNSPECIFIED;
        }
        if (a == 127) {
            return LOOPBACK;
        }
        boolean isMetadata = (a == 169 && b == 254 && c == 169 && (d == 254 || d == 253 || d == 123))
                || (a == 169 && b == 254 && c == 170 && d == 2)
                || (a == 100 && b == 100 && c == 100 && d == 200)
                || (a == 168 && b == 63 && c == 129 && d == 16)
                || (a == 192 && b == 0 && c == 0 && d == 192);
        if (isMetadata) {
            return METADATA;
        }
        if (a == 169 && b == 254) {
            return LINK_LOCAL;
        }
        if (a == 10 || (a == 172 && b >= 16 && b < 32) || (a == 192 && b == 168) || (a == 100 && b >= 64 && b < 128)) {
            return PRIVATE;
        }
        boolean isReserved = a >= 224
                || (a == 192 && b == 0 && (c == 0 || c == 2))
                || (a == 192 && b == 88 && c == 99)
                || (a == 198 && (b == 18 || b == 19))
                || (a == 198 && b == 51 && c == 100)
                || (a == 203 && b == 0 && c == 113);
        return isReserved ? RESERVED : PUBLIC;
    }

    private static AddressClass ofIpv6(byte[] bytes) {
        int first = (bytes[0] & 0xff) << 8 | (bytes[1] & 0xff);
        if (isZero(bytes, 0, 15)) {
            return switch (bytes[15]) {
                case 0 -> UNSPECIFIED;
                case 1 -> LOOPBACK;
                default -> RESERVED;
            };
        }
        boolean isMapped = isZero(bytes, 0, 10) && bytes[10] == -1 && bytes[11] == -1;
        boolean isCompatible = isZero(bytes, 0, 12);
        // Of 64:ff9b:1::/48 (RFC 8215) nobody but its network knows where the address of version 4 is.
        boolean isTranslated =
                first == 0x0064 && bytes[2] == (byte) 0xff && bytes[3] == (byte) 0x9b && isZero(bytes, 4, 12);
        if (isMapped || isCompatible || isTranslated) {
            return ofIpv4(new byte[] {bytes[12], bytes[13], bytes[14], bytes[15]});
        }
        if (first == 0x2002) {
            return ofIpv4(new byte[] {bytes[2], bytes[3], bytes[4], bytes[5]});
        }
        boolean isMetadata = first == 0xfd00
                && bytes[2] == 0x0e
                && bytes[3] == (byte) 0xc2
                && isZero(bytes, 4, 14)
                && bytes[14] == 0x02
                && bytes[15] == 0x54;
        if (isMetadata) {
            return METADATA;
        }
        if ((first & 0xffc0) == 0xfe80) {
            return LINK_LOCAL;
        }
        if ((first & 0xfe00) == 0xfc00 || (first & 0xffc0) == 0xfec0) {
            return PRIVATE;
        }
        boolean isDocumentation = first == 0x2001 && (bytes[2] & 0xff) == 0x0d && (bytes[3] & 0xff) == 0xb8;
        boolean isTeredo = first == 0x2001 && bytes[2] == 0 && bytes[3] == 0;
        boolean isGlobal = (first & 0xe000) == 0x2000;
        return isGlobal && !isDocumentation && !isTeredo ? PUBLIC : RESERVED;
    }

    private static boolean isZero(byte[] bytes, int from, int to) {
        for (int i = from; i < to; i++) {
            if (bytes[i] != 0) {
                return false;
            }
        }
        return true;
    }
}
