package dev.capsem.profiles.registry;

import dev.capsem.fuzz.Property;
import java.nio.charset.StandardCharsets;
import java.util.List;

/// Maven's settings of the host, as text.
public final class SettingsXmlFuzz {
    private SettingsXmlFuzz() {}

    public static void fuzzerTestOneInput(byte[] data) {
        String text = new String(data, StandardCharsets.UTF_8);
        List<XmlText.Element> elements = XmlText.elements(text);
        Property.holds(elements.size() <= text.length(), "elements out of nothing");
        elements.forEach(element -> {
            Property.holds(!element.path().isEmpty() && !element.text().isBlank(), "an element without name or text");
            Property.holds(element.text().length() <= text.length(), "a text that grew");
            Registry.parse("maven", element.text());
        });
    }
}
