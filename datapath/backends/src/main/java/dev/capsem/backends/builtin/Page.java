package dev.capsem.backends.builtin;

import com.vladsch.flexmark.html2md.converter.FlexmarkHtmlConverter;
import java.util.Set;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.jsoup.nodes.Element;
import org.jsoup.nodes.Node;
import org.jsoup.nodes.TextNode;
import org.jsoup.select.NodeTraversor;
import org.jsoup.select.NodeVisitor;

/// A web page as something to read.
final class Page {
    private static final String UNREADABLE = "script, style, noscript, svg, template, iframe, object";
    private static final Set<String> BLOCKS = Set.of(
            "p",
            "div",
            "br",
            "li",
            "ul",
            "ol",
            "tr",
            "table",
            "section",
            "article",
            "header",
            "footer",
            "h1",
            "h2",
            "h3",
            "h4",
            "h5",
            "h6",
            "pre",
            "blockquote",
            "title",
            "main",
            "nav",
            "aside",
            "dl",
            "dt",
            "dd",
            "hr",
            "form");

    private Page() {}

    static String markdown(String html, String baseUrl) {
        Document document = Jsoup.parse(html, baseUrl);
        document.select(UNREADABLE).remove();
        String title = document.title().strip();
        String body = FlexmarkHtmlConverter.builder()
                .build()
                .convert(document.body().html())
                .strip();
        return title.isEmpty() || body.startsWith("# ") ? body : "# " + title + "\n\n" + body;
    }

    /// The text alone: blocks on lines of their own, spaces collapsed.
    static String text(String html) {
        Document document = Jsoup.parse(html);
        document.select(UNREADABLE).remove();
        StringBuilder text = new StringBuilder();
        NodeTraversor.traverse(
                new NodeVisitor() {
                    @Override
                    public void head(Node node, int depth) {
                        if (node instanceof TextNode leaf) {
                            append(leaf.text());
                        } else if (isBlock(node)) {
                            newLine();
                        }
                    }

                    @Override
                    public void tail(Node node, int depth) {
                        if (isBlock(node)) {
                            newLine();
                        }
                    }

                    private void append(String words) {
                        boolean isSpaced = text.isEmpty() || Character.isWhitespace(text.charAt(text.length() - 1));
                        text.append(isSpaced ? words.stripLeading() : words);
                    }

                    private void newLine() {
                        if (!text.isEmpty() && text.charAt(text.length() - 1) != '\n') {
                            text.append('\n');
                        }
                    }
                },
                document);
        return text.toString().strip();
    }

    private static boolean isBlock(Node node) {
        return node instanceof Element element && BLOCKS.contains(element.normalName());
    }
}
