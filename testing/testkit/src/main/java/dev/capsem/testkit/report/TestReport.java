package dev.capsem.testkit.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Reads what Surefire wrote for all modules. `TestReport REPOSITORY` prints the report and ends with 1 when a test
/// failed or was skipped without leave.
/// @param unavailable what `./capsem setup --tests` wanted to install and could not
public record TestReport(List<TestCase> tests, AllowedSkips allowed, List<String> unavailable) {
    private static final int SLOWEST = 20;
    private static final Pattern COUNTERPART = Pattern.compile("not installed|is missing|no npm|no apt-get");
    private static final Pattern REPORT = Pattern.compile("/target/surefire-reports/TEST-[^/]*\\.xml$");

    public static void main(String[] arguments) throws IOException {
        Path repository = Path.of(arguments[0]);
        String account = "root".equals(System.getProperty("user.name")) ? "root" : "user";
        Path unavailable = repository.resolve("testing/target/unavailable");
        TestReport report = read(
                repository,
                AllowedSkips.read(repository.resolve("testing/skips.txt"), account),
                Files.exists(unavailable) ? Files.readAllLines(unavailable) : List.of());
        System.out.print(report.text());
        System.exit(report.isGood() ? 0 : 1);
    }

    static TestReport read(Path repository, AllowedSkips allowed, List<String> unavailable) throws IOException {
        try (Stream<Path> files = Files.find(repository, 5, (file, attributes) -> isReport(file))) {
            List<TestCase> tests =
                    files.flatMap(file -> TestCase.read(file).stream()).toList();
            return new TestReport(tests, allowed, unavailable);
        }
    }

    private static boolean isReport(Path file) {
        return REPORT.matcher(file.toString()).find();
    }

    boolean isGood() {
        return !tests.isEmpty()
                && tests.stream().noneMatch(TestCase::hasFailed)
                && forbidden().isEmpty();
    }

    /// A test may lack its counterpart only when `./capsem setup --tests` said that it could not bring it.
    private List<TestCase> forbidden() {
        return allowed.forbidden(skipped()).stream()
                .filter(test -> unavailable.isEmpty()
                        || !COUNTERPART.matcher(test.skipped().orElse("")).find())
                .toList();
    }

    private List<TestCase> skipped() {
        return tests.stream().filter(test -> test.skipped().isPresent()).toList();
    }

    String text() {
        StringBuilder text = new StringBuilder("The slowest " + SLOWEST + ":\n");
        tests.stream()
                .sorted(Comparator.comparing(TestCase::time).reversed())
                .limit(SLOWEST)
                .forEach(test -> text.append("%7.1f s  %s%n".formatted(seconds(test.time()), test.name())));
        List<TestCase> failed = tests.stream().filter(TestCase::hasFailed).toList();
        List<TestCase> forbidden = forbidden();
        text.append("%d tests, %d failed, %d skipped%n"
                .formatted(tests.size(), failed.size(), skipped().size()));
        failed.forEach(test -> text.append("  failed   ").append(test.name()).append('\n'));
        skipped().stream()
                .collect(Collectors.groupingBy(
                        test -> test.name() + ": " + test.skipped().orElse(""), Collectors.counting()))
                .forEach((skip, count) -> text.append("  skipped  %s (%d)%n".formatted(skip, count)));
        if (!unavailable.isEmpty()) {
            text.append("Could not be installed here: ")
                    .append(String.join(" ", unavailable))
                    .append('\n');
        }
        if (!forbidden.isEmpty()) {
            text.append("A test may be skipped only if testing/skips.txt names it. Not named there:\n");
            forbidden.stream()
                    .map(TestCase::name)
                    .distinct()
                    .forEach(name -> text.append("  ").append(name).append('\n'));
            text.append("Install what they need (./capsem setup --tests), or add a line with the reason.\n");
        }
        return text.toString();
    }

    private static double seconds(Duration time) {
        return time.toMillis() / 1000.0;
    }
}
