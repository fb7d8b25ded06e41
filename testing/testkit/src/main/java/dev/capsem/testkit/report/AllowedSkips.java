package dev.capsem.testkit.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The tests that may be skipped: `root|user|any Class.method: reason`, one a line. The first word says for which
/// account the line counts. A test that is not on the list must run.
record AllowedSkips(Set<String> names) {
    private static final Pattern LINE = Pattern.compile("(root|user|any) ([\\w.]+): +\\S.*");

    static AllowedSkips read(Path file, String account) throws IOException {
        Set<String> names = new HashSet<>();
        for (String line : Files.readAllLines(file)) {
            if (line.isBlank() || line.startsWith("#")) {
                continue;
            }
            Matcher matcher = LINE.matcher(line);
            if (!matcher.matches()) {
                throw new IOException(file + ": not `root|user|any Class.method: reason`: " + line);
            }
            if (matcher.group(1).equals("any") || matcher.group(1).equals(account)) {
                names.add(matcher.group(2));
            }
        }
        return new AllowedSkips(Set.copyOf(names));
    }

    List<TestCase> forbidden(List<TestCase> skipped) {
        return skipped.stream().filter(test -> !names.contains(test.name())).toList();
    }
}
