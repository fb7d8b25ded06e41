package dev.capsem.broker;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;

/// The spellings in which a value is looked for, and in which its stand-in takes its place.
enum Encoding {
    RAW {
        @Override
        byte[] encode(byte[] value) {
            return value;
        }
    },
    /// As most writers of JSON escape a string.
    JSON {
        @Override
        byte[] encode(byte[] value) {
            return json(value, "");
        }
    },
    JSON_SLASH {
        @Override
        byte[] encode(byte[] value) {
            return json(value, "/");
        }
    },
    /// As those do that think of HTML.
    JSON_HTML {
        @Override
        byte[] encode(byte[] value) {
            return json(value, "<>&'=+");
        }
    },
    /// As those do that trust no character.
    JSON_EVERY {
        @Override
        byte[] encode(byte[] value) {
            return every("\\u00", value, false);
        }
    },
    JSON_EVERY_UPPER {
        @Override
        byte[] encode(byte[] value) {
            return every("\\u00", value, true);
        }
    },
    PERCENT {
        @Override
        byte[] encode(byte[] value) {
            return percent(value, true);
        }
    },
    PERCENT_LOWER {
        @Override
        byte[] encode(byte[] value) {
            return percent(value, false);
        }
    },
    PERCENT_EVERY {
        @Override
        byte[] encode(byte[] value) {
            return every("%", value, true);
        }
    },
    PERCENT_EVERY_LOWER {
        @Override
        byte[] encode(byte[] value) {
            return every("%", value, false);
        }
    },
    BASE64_FIRST(0, false),
    BASE64_SECOND(1, false),
    BASE64_THIRD(2, false),
    BASE64_URL_FIRST(0, true),
    BASE64_URL_SECOND(1, true),
    BASE64_URL_THIRD(2, true),
    HEX {
        @Override
        byte[] encode(byte[] value) {
            return ascii(HexFormat.of().formatHex(value));
        }
    },
    HEX_UPPER {
        @Override
        byte[] encode(byte[] value) {
            return ascii(HexFormat.of().withUpperCase().formatHex(value));
        }
    };

    private final int offset;
    private final boolean isUrl;

    Encoding() {
        this(-1, false);
    }

    Encoding(int offset, boolean isUrl) {
        this.offset = offset;
        this.isUrl = isUrl;
    }

    /// Whether what stands around it can only be read if the length stays.
    boolean isBlocked() {
        return offset >= 0 || this == HEX || this == HEX_UPPER;
    }

    /// By itself: in the middle of base64, that many bytes after a multiple of three. Characters that depend on its
    /// neighbours as well are left out.
    byte[] encode(byte[] value) {
        byte[] shifted =
                ByteBuffer.allocate(offset + value.length).put(offset, value).array();
        byte[] coded = (isUrl ? Base64.getUrlEncoder() : Base64.getEncoder())
                .withoutPadding()
                .encode(shifted);
        int from = (offset * 8 + 5) / 6;
        int to = shifted.length * 8 / 6;
        return Arrays.copyOfRange(coded, from, to);
    }

    /// An escape for each byte, whether it needs one or not.
    private static byte[] every(String escape, byte[] value, boolean isUpper) {
        StringBuilder out = new StringBuilder();
        for (byte b : value) {
            out.append(escape).append(hex(b & 0xff, isUpper));
        }
        return ascii(out.toString());
    }

    private static byte[] percent(byte[] value, boolean isUpper) {
        StringBuilder out = new StringBuilder();
        for (byte b : value) {
            boolean isPlain = (b >= 'a' && b <= 'z')
                    || (b >= 'A' && b <= 'Z')
                    || (b >= '0' && b <= '9')
                    || b == '-'
                    || b == '.'
                    || b == '_'
                    || b == '~';
            if (isPlain) {
                out.append((char) b);
            } else {
                out.append('%').append(hex(b & 0xff, isUpper));
            }
        }
        return ascii(out.toString());
    }

    /// @param also what is escaped beside what must be
    private static byte[] json(byte[] value, String also) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(value.length + 8);
        for (byte b : value) {
            switch (b) {
                case '"', '\\' -> {
                    out.write('\\');
                    out.write(b);
                }
                case '\n' -> out.writeBytes(ascii("\\n"));
                case '\r' -> out.writeBytes(ascii("\\r"));
                case '\t' -> out.writeBytes(ascii("\\t"));
                default -> {
                    if (b == '/' && also.equals("/")) {
                        out.writeBytes(ascii("\\/"));
                    } else if ((b >= 0 && b < ' ') || (b > 0 && also.indexOf(b) >= 0)) {
                        out.writeBytes(ascii("\\u00" + hex(b, false)));
                    } else {
                        out.write(b);
                    }
                }
            }
        }
        return out.toByteArray();
    }

    private static String hex(int value, boolean isUpper) {
        HexFormat format = isUpper ? HexFormat.of().withUpperCase() : HexFormat.of();
        return format.toHexDigits((byte) value);
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }
}
