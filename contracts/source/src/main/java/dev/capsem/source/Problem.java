package dev.capsem.source;

/// Something a person should know about a source. Never holds a secret.
public record Problem(Place place, Weight weight, String message) {
    /// Whether the source can be used nonetheless.
    public enum Weight {
        ERROR,
        WARNING
    }

    public static Problem error(Place place, String message) {
        return new Problem(place, Weight.ERROR, message);
    }

    public static Problem warning(Place place, String message) {
        return new Problem(place, Weight.WARNING, message);
    }

    public boolean isError() {
        return weight == Weight.ERROR;
    }

    @Override
    public String toString() {
        return place + ": " + (isError() ? "" : "warning: ") + message;
    }
}
