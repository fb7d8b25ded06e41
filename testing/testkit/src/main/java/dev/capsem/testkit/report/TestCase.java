package dev.capsem.testkit.report;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/// One test as Surefire's report tells it. `skipped` is the reason, if it did not run.
record TestCase(String className, String method, Duration time, boolean hasFailed, Optional<String> skipped) {
    /// Without package and without the number of a parameter: what the list of skips speaks of.
    String name() {
        String simple = className.substring(className.lastIndexOf('.') + 1);
        if (method.isBlank() || method.equals(className)) {
            return simple;
        }
        int end = method.indexOf('(') < 0 ? method.length() : method.indexOf('(');
        return simple + "." + method.substring(0, end);
    }

    static List<TestCase> read(Path report) {
        try {
            NodeList cases = DocumentBuilderFactory.newDefaultInstance()
                    .newDocumentBuilder()
                    .parse(report.toFile())
                    .getElementsByTagName("testcase");
            return IntStream.range(0, cases.getLength())
                    .mapToObj(index -> of((Element) cases.item(index)))
                    .toList();
        } catch (Exception unreadable) {
            throw new IllegalStateException("not a report of Surefire: " + report, unreadable);
        }
    }

    private static TestCase of(Element element) {
        long millis = Math.round(Double.parseDouble(element.getAttribute("time").replace(",", "")) * 1000);
        return new TestCase(
                element.getAttribute("classname"),
                element.getAttribute("name"),
                Duration.ofMillis(millis),
                element.getElementsByTagName("failure").getLength()
                                + element.getElementsByTagName("error").getLength()
                        > 0,
                reason(element));
    }

    /// JUnit's words about an assumption are left out; ours are the rest of the first line.
    private static Optional<String> reason(Element element) {
        NodeList skips = element.getElementsByTagName("skipped");
        if (skips.getLength() == 0) {
            return Optional.empty();
        }
        Element skip = (Element) skips.item(0);
        String text = skip.hasAttribute("message") ? skip.getAttribute("message") : skip.getTextContent();
        return Optional.of(text.lines()
                .findFirst()
                .orElse("")
                .replaceFirst("^org\\.opentest4j\\.TestAbortedException: ", "")
                .replaceFirst("^Assumption failed: ", "")
                .replaceFirst("^skipped: ", ""));
    }
}
