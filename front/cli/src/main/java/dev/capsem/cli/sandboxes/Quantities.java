package dev.capsem.cli.sandboxes;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/// Amounts as people type them.
final class Quantities {
    private static final Pattern NUMBER_AND_UNIT = Pattern.compile("(\\d{1,9}(?:\\.\\d{1,3})?)([a-zA-Z]*)");

    private Quantities() {}

    /// `2048`, `512m`, `2g`, `1.5g` → MiB.
    static final class Memory implements ITypeConverter<Integer> {
        @Override
        public Integer convert(String text) {
            Matcher matcher = matcher(text, "memory is a number of MB, or like 512m or 2g");
            double number = Double.parseDouble(matcher.group(1));
            return switch (matcher.group(2)) {
                case "", "m", "M", "mb", "MB" -> (int) number;
                case "g", "G", "gb", "GB" -> (int) (number * 1_024);
                default -> throw new TypeConversionException("memory is a number of MB, or like 512m or 2g");
            };
        }
    }

    /// `30`, `30s`, `5m`, `1h` → seconds.
    static final class Seconds implements ITypeConverter<Integer> {
        @Override
        public Integer convert(String text) {
            Matcher matcher = matcher(text, "a time is a number of seconds, or like 30s, 5m or 1h");
            double number = Double.parseDouble(matcher.group(1));
            return switch (matcher.group(2)) {
                case "", "s" -> (int) Math.ceil(number);
                case "m" -> (int) (number * 60);
                case "h" -> (int) (number * 3_600);
                default -> throw new TypeConversionException("a time is a number of seconds, or like 30s, 5m or 1h");
            };
        }
    }

    private static Matcher matcher(String text, String rule) {
        Matcher matcher = NUMBER_AND_UNIT.matcher(text);
        if (!matcher.matches()) {
            throw new TypeConversionException(rule);
        }
        return matcher;
    }
}
