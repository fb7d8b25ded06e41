package dev.capsem.architecture;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.constantpool.ClassEntry;
import java.lang.classfile.constantpool.PoolEntry;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// The walls between modules and the few places where dangerous types may be used. A red test here means a wrong
/// arrow, not a wrong test: `ARCHITECTURE.md` says why each one stands.
@Tag("shape")
class ArchitectureTest {
    /// What each module may see of ours, beside itself. A module missing here may be seen by nobody and
    /// sees nobody.
    private static final Map<String, Set<String>> ARROWS = Map.ofEntries(
            Map.entry("source", Set.of()),
            Map.entry("wire", Set.of()),
            Map.entry("client", Set.of("wire")),
            Map.entry("toolserver", Set.of("wire")),
            Map.entry("events", Set.of()),
            Map.entry("policy", Set.of("source")),
            Map.entry("broker", Set.of("events")),
            Map.entry("exchange", Set.of("events", "broker")),
            Map.entry("network", Set.of("wire", "events", "broker", "exchange")),
            Map.entry("llm", Set.of("events")),
            Map.entry("mcp", Set.of("wire", "events", "exchange")),
            Map.entry("security", Set.of("source", "events")),
            Map.entry("telemetry", Set.of("wire", "events")),
            Map.entry("backends", Set.of("wire", "broker", "toolserver")),
            Map.entry("profiles", Set.of("source", "events", "broker", "policy")),
            Map.entry("sandbox", Set.of("wire")),
            Map.entry(
                    "process",
                    Set.of(
                            "source",
                            "wire",
                            "events",
                            "telemetry",
                            "sandbox",
                            "broker",
                            "exchange",
                            "network",
                            "llm",
                            "mcp",
                            "security",
                            "policy",
                            "profiles")),
            Map.entry("http", Set.of("wire")),
            Map.entry("service", Set.of("source", "wire", "events", "telemetry", "sandbox", "profiles", "security")),
            Map.entry(
                    "api",
                    Set.of(
                            "http",
                            "service",
                            "source",
                            "wire",
                            "events",
                            "telemetry",
                            "sandbox",
                            "profiles",
                            "security")),
            Map.entry("sandboxserver", Set.of("http", "service", "wire", "sandbox", "profiles")),
            Map.entry("dashboard", Set.of("http", "service", "wire")),
            Map.entry(
                    "daemon",
                    Set.of(
                            "http",
                            "service",
                            "api",
                            "sandboxserver",
                            "dashboard",
                            "wire",
                            "telemetry",
                            "sandbox",
                            "profiles")),
            Map.entry("cli", Set.of("source", "wire", "client", "policy", "profiles", "network")),
            Map.entry("hostmcp", Set.of("wire", "client", "toolserver")),
            Map.entry("sandboxmcp", Set.of("wire", "toolserver")),
            Map.entry(
                    "bench",
                    Set.of(
                            "source",
                            "wire",
                            "client",
                            "events",
                            "telemetry",
                            "policy",
                            "security",
                            "broker",
                            "network",
                            "llm")),
            Map.entry("testkit", Set.of("wire", "client", "events")),
            Map.entry(
                    "e2e",
                    Set.of(
                            "wire",
                            "client",
                            "events",
                            "telemetry",
                            "policy",
                            "sandbox",
                            "process",
                            "service",
                            "cli",
                            "testkit")));

    /// A reader must be able to hold a package in mind.
    private static final int PACKAGE_CLASSES_MAX = 25;

    private static final JavaClasses OURS = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            // Linted classes lie one folder deeper than ArchUnit looks for tests.
            .withImportOption(location -> !location.contains("/test-classes/"))
            .importPackages("dev.capsem");

    @Test
    void modulesSeeOnlyWhatTheirArrowsAllow() {
        for (Map.Entry<String, Set<String>> arrow : ARROWS.entrySet()) {
            noClasses()
                    .that()
                    .resideInAPackage("dev.capsem." + arrow.getKey() + "..")
                    .should()
                    .dependOnClassesThat(ofModulesOtherThan(arrow.getKey(), arrow.getValue()))
                    .allowEmptyShould(true)
                    .check(OURS);
        }
    }

    @Test
    void everyModuleHasItsArrows() {
        Set<String> modules = new TreeSet<>();
        OURS.forEach(type -> modules.add(moduleOf(type)));

        assertThat(ARROWS.keySet()).containsAll(modules);
        assertThat(modules)
                .contains(
                        "source",
                        "wire",
                        "events",
                        "telemetry",
                        "security",
                        "profiles",
                        "sandbox",
                        "process",
                        "http",
                        "service",
                        "api",
                        "sandboxserver",
                        "dashboard",
                        "daemon",
                        "cli",
                        "policy");
    }

    /// The exchanges are state machines: every input reaches them as a value, every effect leaves them as one. The
    /// broker answers them, and is as pure.
    @Test
    void exchangesAndTheBrokerKnowNothingOfTheWorld() {
        Set<String> pure = Set.of("exchange", "broker");
        JavaClasses exchanges =
                OURS.that(DescribedPredicate.describe("are pure", type -> pure.contains(moduleOf(type))));

        assertThat(exchanges).extracting(ArchitectureTest::moduleOf).containsAll(pure);
        noClasses()
                .should()
                .dependOnClassesThat()
                .haveNameMatching(
                        "(io\\.netty|java\\.nio\\.channels|java\\.nio\\.file|java\\.sql|org\\.sqlite|org\\.slf4j)\\..*"
                                + "|java\\.io\\.File.*|java\\.util\\.concurrent\\..*"
                                + "|java\\.lang\\.(Thread|ProcessBuilder)(\\$.*)?|java\\.time\\.(Clock|InstantSource)")
                .orShould()
                .callMethod(System.class, "nanoTime")
                .orShould()
                .callMethod(System.class, "currentTimeMillis")
                .check(exchanges);
    }

    /// See docs/adr/0018: the command line makes authorities, it handles no traffic.
    @Test
    void theCommandLineSeesOnlyTheKeysOfTheNetworkEngine() {
        noClasses()
                .that()
                .resideInAPackage("dev.capsem.cli..")
                .should()
                .dependOnClassesThat(DescribedPredicate.describe(
                        "belong to the network engine, but not to its keys",
                        type -> type.getPackageName().startsWith("dev.capsem.network")
                                && !type.getPackageName().equals("dev.capsem.network.tls")))
                .check(OURS);
    }

    @Test
    void packagesFormNoCycles() {
        slices().matching("dev.capsem.(*)..").should().beFreeOfCycles().check(OURS);
    }

    /// Packages of one module that need each other cannot be read one after the other.
    @Test
    void packagesOfAModuleFormNoCycles() {
        Map<String, Set<String>> needs = new TreeMap<>();
        for (JavaClass type : OURS) {
            Set<String> own = needs.computeIfAbsent(type.getPackageName(), name -> new TreeSet<>());
            type.getDirectDependenciesFromSelf().stream()
                    .map(dependency -> dependency.getTargetClass().getPackageName())
                    .filter(name -> name.startsWith("dev.capsem.") && !name.equals(type.getPackageName()))
                    .forEach(own::add);
        }
        Map<String, Set<String>> reached = new TreeMap<>();
        needs.keySet().forEach(from -> reached.put(from, reachedFrom(from, needs)));
        Set<String> cycles = new TreeSet<>();
        reached.forEach((from, all) -> {
            if (all.contains(from)) {
                cycles.add(all.stream()
                        .filter(other -> reached.getOrDefault(other, Set.of()).contains(from))
                        .collect(Collectors.joining(" ")));
            }
        });

        KnownViolations.check("package-cycle", cycles);
    }

    @Test
    void noPackageIsAHall() {
        Map<String, Long> sizes = OURS.stream()
                .filter(type -> type.isTopLevelClass() && !type.getSimpleName().equals("package-info"))
                .collect(Collectors.groupingBy(JavaClass::getPackageName, TreeMap::new, Collectors.counting()));
        sizes.values().removeIf(size -> size <= PACKAGE_CLASSES_MAX);

        assertThat(sizes).isEmpty();
    }

    /// javac lets a class use a type of another package that it may not name, if a public method returns it. Such a
    /// class cannot be linked when it runs.
    @Test
    void everyClassMayUseTheClassesThatItUses() throws IOException {
        Set<String> hidden = OURS.stream()
                .filter(type -> !type.getModifiers().contains(JavaModifier.PUBLIC)
                        && !type.getModifiers().contains(JavaModifier.PROTECTED))
                .map(JavaClass::getName)
                .collect(Collectors.toCollection(TreeSet::new));
        Set<String> found = new TreeSet<>();
        for (JavaClass type : OURS) {
            Set<String> used = usedBy(type);
            used.stream()
                    .filter(other -> hidden.contains(other) && !packageOf(other).equals(type.getPackageName()))
                    // A public class inside it names it too.
                    .filter(other -> used.stream().noneMatch(inner -> inner.startsWith(other + "$")))
                    .forEach(other -> found.add(type.getName() + " uses " + other));
        }

        assertThat(found).isEmpty();
    }

    @Test
    void foreignMemoryIsUsedInNativeClassesOnly() {
        noClasses()
                .that()
                .haveSimpleNameNotContaining("Native")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("java.lang.foreign..")
                .check(OURS);
    }

    @Test
    void processesAreStartedInLaunchPackagesOnly() {
        noClasses()
                .that()
                .resideOutsideOfPackages("..launch..", "dev.capsem.bench..", "dev.capsem.e2e..", "dev.capsem.testkit..")
                .should()
                .dependOnClassesThat()
                .haveFullyQualifiedName("java.lang.ProcessBuilder")
                .check(OURS);
    }

    @Test
    void socketsAreOpenedInIoPackagesOnly() {
        noClasses()
                .that()
                .resideOutsideOfPackages("..io..", "dev.capsem.bench..", "dev.capsem.e2e..", "dev.capsem.testkit..")
                .should()
                .dependOnClassesThat()
                .haveNameMatching("java\\.(net\\.(Socket|ServerSocket|UnixDomainSocketAddress)"
                        + "|nio\\.channels\\.(SocketChannel|ServerSocketChannel|DatagramChannel))")
                .check(OURS);
    }

    @Test
    void nettyOpensSocketsInIoPackagesOnly() {
        Set<String> outside = new TreeSet<>();
        for (JavaClass type : OURS) {
            boolean opens = type.getDirectDependenciesFromSelf().stream()
                    .anyMatch(dependency ->
                            dependency.getTargetClass().getPackageName().equals("io.netty.bootstrap"));
            if (opens
                    && !(type.getPackageName() + ".").contains(".io.")
                    && !moduleOf(type).equals("testkit")) {
                outside.add(type.getName());
            }
        }

        KnownViolations.check("socket-outside-io", outside);
    }

    @Test
    void noPackageIsNamedByKind() {
        noClasses()
                .should()
                .resideInAnyPackage("..util..", "..utils..", "..common..", "..core..", "..impl..", "..dto..")
                .check(OURS);
    }

    @Test
    void noClassIsNamedByHabit() {
        List<String> habits = List.of("Manager", "Helper", "Util", "Utils", "Impl", "Info", "Base", "Abstract");

        assertThat(OURS)
                .filteredOn(type -> !type.isAnonymousClass())
                .extracting(JavaClass::getSimpleName)
                .noneMatch(name -> habits.stream().anyMatch(name::endsWith) || name.startsWith("Abstract"));
    }

    @Test
    void everyPackageIsNullMarked() {
        classes()
                .that()
                .haveSimpleName("package-info")
                .should()
                .beAnnotatedWith(NullMarked.class)
                .check(OURS);
        Set<String> marked = new TreeSet<>();
        Set<String> all = new TreeSet<>();
        OURS.forEach(type -> {
            all.add(type.getPackageName());
            if (type.getSimpleName().equals("package-info")) {
                marked.add(type.getPackageName());
            }
        });

        assertThat(marked).containsAll(all);
    }

    private static DescribedPredicate<JavaClass> ofModulesOtherThan(String own, Set<String> allowed) {
        return DescribedPredicate.describe("belong to a module that " + own + " must not see", type -> {
            if (!type.getPackageName().startsWith("dev.capsem.")) {
                return false;
            }
            String module = moduleOf(type);
            return !module.equals(own) && !allowed.contains(module);
        });
    }

    private static Set<String> usedBy(JavaClass type) throws IOException {
        Set<String> used = new TreeSet<>();
        try (InputStream bytes = type.getSource().orElseThrow().getUri().toURL().openStream()) {
            for (PoolEntry entry : ClassFile.of().parse(bytes.readAllBytes()).constantPool()) {
                if (entry instanceof ClassEntry other) {
                    used.add(other.asInternalName().replaceAll("^\\[+L?|;$", "").replace('/', '.'));
                }
            }
        }
        return used;
    }

    private static String packageOf(String name) {
        return name.substring(0, Math.max(0, name.lastIndexOf('.')));
    }

    private static Set<String> reachedFrom(String start, Map<String, Set<String>> needs) {
        Set<String> reached = new TreeSet<>();
        Deque<String> open = new ArrayDeque<>(needs.getOrDefault(start, Set.of()));
        while (!open.isEmpty()) {
            String next = open.pop();
            if (reached.add(next)) {
                open.addAll(needs.getOrDefault(next, Set.of()));
            }
        }
        return reached;
    }

    private static String moduleOf(JavaClass type) {
        String rest = type.getPackageName().substring("dev.capsem.".length());
        int dot = rest.indexOf('.');
        return dot < 0 ? rest : rest.substring(0, dot);
    }
}
