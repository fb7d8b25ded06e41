package dev.capsem.profiles.registry;

import java.io.StringReader;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.MissingResourceException;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/// The texts of an XML document with the path to each. Reads no document types and nothing from outside.
final class XmlText {
    /// @param path the names from the root, with `/` between them
    record Element(String path, String text) {}

    private XmlText() {}

    /// The readable part of the text; a malformed end is left out.
    static List<Element> elements(String xml) {
        XMLInputFactory factory = XMLInputFactory.newDefaultFactory();
        factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
        factory.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
        List<Element> elements = new ArrayList<>();
        Deque<String> path = new ArrayDeque<>();
        StringBuilder text = new StringBuilder();
        try {
            XMLStreamReader reader = factory.createXMLStreamReader(new StringReader(xml));
            while (reader.hasNext()) {
                switch (reader.next()) {
                    case XMLStreamConstants.START_ELEMENT -> {
                        path.addLast(reader.getLocalName());
                        text.setLength(0);
                    }
                    case XMLStreamConstants.CHARACTERS -> text.append(reader.getText());
                    case XMLStreamConstants.END_ELEMENT -> {
                        if (!text.toString().isBlank()) {
                            elements.add(new Element(
                                    String.join("/", path), text.toString().strip()));
                        }
                        text.setLength(0);
                        path.removeLast();
                    }
                    default -> {}
                }
            }
        } catch (XMLStreamException | MissingResourceException malformed) {
            // The second one is the JDK's: it has no words for some characters in a document type.
            return elements;
        }
        return elements;
    }
}
