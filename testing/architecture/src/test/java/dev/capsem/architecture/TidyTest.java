package dev.capsem.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.LineMap;
import com.sun.source.tree.MethodTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreePathScanner;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Sizes, comments and links: what a reader stumbles over and no compiler sees.
@Tag("shape")
class TidyTest {
    private static final int FILE_LINES_MAX = 500;
    private static final int METHOD_LINES_MAX = 70;
    private static final Pattern COMMENT = Pattern.compile("\\s*///? (\\S.*)");
    /// Netfilter's constants keep their names.
    private static final Pattern FORBIDDEN =
            Pattern.compile("(?<!\\bNFTA?_[A-Z_]{0,16})(?i:verdict)|(?i:supervisor|hypervisor)");

    private static final Pattern LINK = Pattern.compile("\\[[^\\]]*\\]\\(([^)\\s]+)\\)");

    @Test
    void filesAreShort() {
        List<String> found = new ArrayList<>();
        for (String ending : List.of(".java", ".c", ".h")) {
            for (Path file : Repository.files(ending)) {
                if (Repository.lines(file).size() > FILE_LINES_MAX) {
                    found.add(Repository.name(file));
                }
            }
        }

        KnownViolations.check("long-file", found);
    }

    @Test
    void methodsAreShort() throws IOException {
        List<String> found = new ArrayList<>();
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
            var sources = files.getJavaFileObjectsFromPaths(Repository.files(".java"));
            JavacTask task = (JavacTask) compiler.getTask(null, files, null, List.of("-proc:none"), null, sources);
            SourcePositions places = Trees.instance(task).getSourcePositions();
            for (CompilationUnitTree unit : task.parse()) {
                new LongMethods(unit, places, found).scan(unit, null);
            }
        }

        KnownViolations.check("long-method", found);
    }

    /// A comment whose last line is one word was broken by a formatter, or by somebody in a hurry.
    @Test
    void noCommentEndsInALineOfOneWord() {
        List<String> found = new ArrayList<>();
        for (Path file : Repository.files(".java")) {
            List<String> lines = Repository.lines(file);
            for (int at = 1; at < lines.size(); at++) {
                Matcher comment = COMMENT.matcher(lines.get(at));
                if (comment.matches()
                        && comment.group(1).strip().matches("[a-z]+[.,;:]?")
                        && isProse(lines.get(at - 1))) {
                    found.add(Repository.name(file) + ": " + comment.group(1));
                }
            }
        }

        KnownViolations.check("one-word-comment", found);
    }

    /// The words of the glossary's last column that mean nothing else here either.
    @Test
    void oneWordHasOneMeaning() {
        List<String> found = new ArrayList<>();
        for (String ending : List.of(".java", ".c", ".h", ".md")) {
            for (Path file : Repository.files(ending)) {
                if (!file.endsWith("glossary.md")
                        && Repository.lines(file).stream()
                                .anyMatch(line -> FORBIDDEN.matcher(line).find())) {
                    found.add(Repository.name(file));
                }
            }
        }
        found.remove("testing/architecture/src/test/java/dev/capsem/architecture/TidyTest.java");

        KnownViolations.check("forbidden-word", found);
    }

    @Test
    void linksLeadSomewhere() {
        List<String> found = new ArrayList<>();
        for (Path file : Repository.files(".md")) {
            Matcher links = LINK.matcher(String.join("\n", Repository.lines(file)));
            while (links.find()) {
                String target = links.group(1);
                if (!target.contains("://") && !target.startsWith("mailto:") && !isThere(file, target)) {
                    found.add(Repository.name(file) + " -> " + target);
                }
            }
        }

        assertThat(found).isEmpty();
    }

    private static boolean isProse(String line) {
        Matcher comment = COMMENT.matcher(line);
        return comment.matches()
                && comment.group(1).contains(" ")
                && !comment.group(1).startsWith("@");
    }

    private static boolean isThere(Path from, String target) {
        int hash = target.indexOf('#');
        String path = hash < 0 ? target : target.substring(0, hash);
        Path file = path.isEmpty() ? from : from.resolveSibling(path);
        if (!Files.exists(file)) {
            return false;
        }
        return hash < 0
                || !file.toString().endsWith(".md")
                || Repository.lines(file).stream()
                        .filter(line -> line.startsWith("#"))
                        .anyMatch(line -> anchor(line).equals(target.substring(hash + 1)));
    }

    /// As GitHub makes them: small letters, blanks as dashes, punctuation gone.
    private static String anchor(String heading) {
        return heading.replaceFirst("#+ *", "")
                .toLowerCase(java.util.Locale.ROOT)
                .replaceAll("[^\\p{L}\\p{N} _-]", "")
                .replace(' ', '-');
    }

    private static final class LongMethods extends TreePathScanner<@Nullable Void, @Nullable Void> {
        private final CompilationUnitTree unit;
        private final SourcePositions places;
        private final List<String> found;

        LongMethods(CompilationUnitTree unit, SourcePositions places, List<String> found) {
            this.unit = unit;
            this.places = places;
            this.found = found;
        }

        @Override
        public @Nullable Void visitMethod(MethodTree method, @Nullable Void nothing) {
            if (method.getBody() != null) {
                LineMap lines = unit.getLineMap();
                long first = lines.getLineNumber(places.getStartPosition(unit, method.getBody()));
                long last = lines.getLineNumber(places.getEndPosition(unit, method.getBody()));
                if (last - first + 1 > METHOD_LINES_MAX) {
                    found.add(Repository.name(Path.of(unit.getSourceFile().toUri())) + " " + method.getName());
                }
            }
            return super.visitMethod(method, null);
        }
    }
}
