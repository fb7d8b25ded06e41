package dev.capsem.events.address;

import dev.capsem.fuzz.Property;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/// Paths and hosts as rules read them.
public final class UrlFuzz {
    /// Four decodings, five cuts, four ways to separate, eight to walk.
    private static final int READINGS_MAX = 640;

    private UrlFuzz() {}

    public static void fuzzerTestOneInput(byte[] data) {
        String text = new String(data, StandardCharsets.ISO_8859_1);
        String path = "/" + text;
        String normal = UrlPaths.normalize(path);
        Property.holds(normal.startsWith("/") && normal.length() <= path.length(), "a path that is none");
        Property.holds(
                (normal + "/").indexOf("/../") < 0 && (normal + "/").indexOf("/./") < 0,
                "a normal path that still walks: " + normal);
        List<UrlReading> others = UrlReading.others(path, Optional.of("q"));
        Property.holds(others.size() <= READINGS_MAX, "too many readings: " + others.size());
        others.forEach(reading -> Property.holds(
                reading.path().length() <= path.length()
                        && reading.path().length() + reading.query().orElse("").length() <= 2 * path.length() + 2,
                "a reading that grew"));
        String host = HostNames.normalize(text);
        if (HostNames.isHost(host)) {
            Property.holds(!host.isEmpty() && host.length() <= 253, "a host that is none");
        }
        Property.holds(
                List.of("invalid", "address", "local", "external").contains(HostNames.classify(host)), "a class");
    }
}
