package dev.capsem.cli.screen;

/// Colours, or none.
public record Ink(boolean isOn) {
    public String bold(String text) {
        return in("1", text);
    }

    public String faint(String text) {
        return in("2", text);
    }

    public String red(String text) {
        return in("31", text);
    }

    public String green(String text) {
        return in("32", text);
    }

    public String yellow(String text) {
        return in("33", text);
    }

    public String cyan(String text) {
        return in("36", text);
    }

    private String in(String code, String text) {
        return isOn && !text.isEmpty() ? "\u001b[" + code + "m" + text + "\u001b[0m" : text;
    }
}
